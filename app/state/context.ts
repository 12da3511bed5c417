import { createContext } from 'svelte';
import type { Workbench } from './workbench.svelte.ts';

/** The window's one workbench, for every component below the root. */
export const [workbench, provideWorkbench] = createContext<Workbench>();
