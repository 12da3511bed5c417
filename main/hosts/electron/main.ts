import { startDesktop } from './start.ts';

// All that must be said before Electron is ready is said in this very tick: the module is loaded, not awaited.
void startDesktop();
