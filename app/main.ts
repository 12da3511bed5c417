import './style/tokens.css';
import './style/base.css';
import './style/controls.css';
import './style/fields.css';
import './style/frame.css';
import './style/talk.css';
import './style/files.css';
import './style/composer.css';
import './style/panel.css';
import './style/floating.css';
import './style/pages.css';
import './style/shell.css';
import './style/rows.css';
import './style/parts.css';
import './style/lists.css';
import './style/dock.css';
import './style/dialogs.css';
import './style/forms.css';
import './style/markdown.css';
import './style/settings.css';
import './style/narrow.css';
import { mount } from 'svelte';
import * as z from 'zod/mini';
import App from './App.svelte';
import { refusesKey, takeSessionKey } from './feeds/key.ts';
import { Link } from './feeds/link.svelte.ts';
import { socketAddress, socketPort } from './feeds/ports.ts';
import { readPrefs } from './state/prefs.ts';

// The contract's shapes may probe for `eval`, which the page's policy reports as an attack.
z.config({ jitless: true });

const bridge = window.curator;
const key = bridge ? null : takeSessionKey(location, history, sessionStorage);
const link = new Link({
  open: () => (bridge ? bridge.port() : socketPort(socketAddress(location))),
  key,
  needsKey: !bridge,
  // Only the web host can be there and yet not want us: it was started anew, or the browser dropped its cookie.
  unwanted: bridge ? async () => false : () => refusesKey(key),
});

// Set before anything is drawn, so that a dark room never sees a white flash.
const { theme } = readPrefs();
const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';

const target = document.getElementById('app');
if (target) mount(App, { target, props: { link } });
