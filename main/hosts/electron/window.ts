import type { BrowserWindowConstructorOptions } from 'electron';

/** The window's fixed settings (checklist 2–4, 6–12). One object, so that a test can read every one of them. */
export function windowOptions(preload: string, platform: NodeJS.Platform): BrowserWindowConstructorOptions {
  return {
    width: 1280, height: 832, minWidth: 760, minHeight: 520, show: false, title: 'Curator', backgroundColor: '#F4F2ED',
    // The page draws its own 36 px layer; each system keeps its own window buttons in it.
    titleBarStyle: platform === 'darwin' ? 'hiddenInset' : 'hidden',
    ...(platform !== 'darwin' ? { titleBarOverlay: { height: 36, color: '#00000000', symbolColor: '#65625B' } } : {}),
    webPreferences: {
      preload, contextIsolation: true, sandbox: true, nodeIntegration: false, nodeIntegrationInWorker: false, nodeIntegrationInSubFrames: false, webSecurity: true,
      allowRunningInsecureContent: false, experimentalFeatures: false, webviewTag: false, navigateOnDragDrop: false, spellcheck: false, devTools: false,
    },
  };
}
