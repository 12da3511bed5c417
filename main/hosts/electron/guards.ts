import type { Session, WebContents } from 'electron';
import { PAGE } from './app-protocol.ts';

/** Addresses that may be handed to the system's browser or mail program; anything else stays shut (checklist 15). */
export function mayOpenOutside(address: string): boolean {
  return URL.canParse(address) && ['https:', 'http:', 'mailto:'].includes(new URL(address).protocol);
}

/** No permission is ever granted to a page, no device, no screen (checklist 5). */
export function guardSession(session: Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler' | 'setDisplayMediaRequestHandler'>): void {
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, callback) => callback({}));
}

/**
 * The app window never leaves its page, opens no window, and takes no webview (checklist 11–14). A link
 * that the person clicked is offered to the system through `openOutside`, after its scheme was checked.
 */
export function guardContents(contents: Pick<WebContents, 'on' | 'setWindowOpenHandler'>, openOutside: (address: string) => void): void {
  const stay = (event: { preventDefault(): void }, address: string) => {
    if (address === PAGE) return;
    event.preventDefault();
  };
  contents.on('will-navigate', (event) => stay(event, event.url));
  contents.on('will-redirect', (event) => stay(event, event.url));
  contents.on('will-frame-navigate', (event) => stay(event, event.url));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    if (mayOpenOutside(url)) openOutside(url);
    return { action: 'deny' };
  });
}
