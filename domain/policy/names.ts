import { foldName, splitPath, type Flavour } from './flavour.ts';

/** Suffixes that start something when opened (WA-POLICY-05), compared on the last suffix, without case. */
export const DANGEROUS_SUFFIXES = ['.exe', '.bat', '.cmd', '.ps1', '.vbs', '.msi', '.scr', '.reg', '.com', '.pif', '.lnk'] as const;

/** Whole names (WA-POLICY-06), and their kin of the same use. */
export const SENSITIVE_NAMES = ['credentials.json', 'secrets.json', 'token.json', '.netrc', '_netrc', '.pgpass', '.git-credentials', '.npmrc', '.pypirc', '.yarnrc.yml'] as const;
/** Names that begin so: real secrets live in `.env.local`, and a key's public half names the key. */
export const SENSITIVE_STARTS = ['.env', 'id_rsa', 'id_ed25519', 'id_ecdsa', 'id_dsa'] as const;
export const SENSITIVE_SUFFIXES = ['.env', '.pem', '.key', '.pfx', '.p12', '.ppk', '.kdbx', '.keystore', '.jks'] as const;
/** Anywhere in a file's name (WA-POLICY-07); hits `tokenizer.ts` too, as the source says. */
export const SENSITIVE_WORDS = ['secret', 'token', 'password', 'credential', 'private', 'apikey', 'api_key'] as const;
/** Folders that hold keys of the system's programs, whatever the file is called. */
export const SENSITIVE_FOLDERS = ['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.password-store'] as const;

/** Names that the change protocol makes for itself (main/changes); no tool may make or touch one. */
export const OWN_LEFTOVER = /^\.curator-[a-z2-7]{26}\.(?:tmp|keep)$/;

/** The name as a rule compares it: case and compatibility forms folded, blank or dotted tail dropped. */
function ruled(name: string): string {
  return foldName(name).replace(/[\s.\u2800\u3164\u200b-\u200f\u00ad\ufeff]+$/u, '');
}

/** True when opening the file would run something (WA-POLICY-05). `name` is the last part of a path. */
export function isDangerousName(name: string): boolean {
  const text = ruled(name);
  return DANGEROUS_SUFFIXES.some((suffix) => text.endsWith(suffix));
}

/** Of those, the ones that are no text: reading them tells nothing (WA-TESTREAD-05). Scripts may be read. */
const PROGRAM_SUFFIXES = ['.exe', '.msi', '.scr', '.com', '.pif', '.lnk'];

/** True for a program or shortcut, which is not read as text either. */
export function isProgramName(name: string): boolean {
  const text = ruled(name);
  return PROGRAM_SUFFIXES.some((suffix) => text.endsWith(suffix));
}

/** True when a file of this name may hold secrets (WA-POLICY-06, -07). `name` is the last part of a path. */
export function isSensitiveName(name: string): boolean {
  const text = ruled(name);
  return (
    (SENSITIVE_NAMES as readonly string[]).includes(text) ||
    SENSITIVE_STARTS.some((start) => text.startsWith(start)) ||
    SENSITIVE_SUFFIXES.some((suffix) => text.endsWith(suffix)) ||
    SENSITIVE_WORDS.some((word) => text.includes(word))
  );
}

/** A file by its own name, or anything inside a folder that holds keys. Names of ordinary folders do not count. */
export function isSensitivePath(path: string, kind: 'file' | 'folder', flavour: Flavour): boolean {
  const { parts } = splitPath(path, flavour);
  if (parts.some((part) => (SENSITIVE_FOLDERS as readonly string[]).includes(ruled(part)))) return true;
  return kind === 'file' && isSensitiveName(parts.at(-1) ?? '');
}

const REPOSITORY = new Set(['.git', '.hg', '.svn', '.bzr']);
const CONFIG_FOLDERS = new Set(['.vscode', '.idea', '.cursor', '.claude', '.devcontainer', '.husky', 'autostart', 'launchagents', 'launchdaemons', 'startup']);
/** Read by a shell or a desktop at its next start. */
const STARTUP_FILES = /^(?:\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|inputrc|xinitrc|xprofile|xsession|gitconfig|envrc)|.*\.(?:desktop|service|plist))$/;

/** Inside a version store: a write there becomes code that runs on the next command (config, hooks). */
export function isRepositoryInside(path: string, flavour: Flavour): boolean {
  return splitPath(path, flavour).parts.some((part) => REPOSITORY.has(ruled(part)) || /^git~\d+$/.test(ruled(part)));
}

/** Settings of editors and agents that can switch on running things; a change is always a strong question. */
export function isConfigThatRuns(path: string, flavour: Flavour): boolean {
  const parts = splitPath(path, flavour).parts.map(ruled);
  return STARTUP_FILES.test(parts.at(-1) ?? '') || parts.slice(0, -1).some((part) => CONFIG_FOLDERS.has(part)) || parts.join('/').includes('.github/workflows/');
}
