import { foldName, isWithin, splitPath, type Flavour } from './flavour.ts';

/** Folders of the system (WA-POLICY-04): never read, written or chosen. `*` stands for one name. */
const SYSTEM: Record<Flavour, readonly string[]> = {
  posix: ['/bin', '/boot', '/dev', '/etc', '/lib', '/lib32', '/lib64', '/libx32', '/lost+found', '/opt', '/proc', '/root', '/run', '/sbin', '/snap', '/sys', '/usr', '/var'],
  darwin: [
    '/.vol', '/Applications', '/Library', '/System', '/bin', '/cores', '/dev', '/etc', '/opt', '/private', '/sbin', '/usr', '/var', '/Network',
    '/Users/*/Library', '/Volumes/*/System', '/Volumes/*/Library', '/Volumes/*/Applications',
  ],
  win32: [
    'Windows', 'Windows.old', 'Program Files', 'Program Files (x86)', 'Program Files (Arm)', 'ProgramData', '$Recycle.Bin', 'System Volume Information',
    'Recovery', 'Boot', 'EFI', 'PerfLogs', 'MSOCache', '$WinREAgent', '$Windows.~BT', '$Windows.~WS', '$SysReset', 'Documents and Settings', 'Users/*/AppData',
    'Users/*/Application Data', 'Users/*/Local Settings', 'Users/Default', 'Users/All Users',
  ],
};

/** Places inside those that hold a person's own files: removable disks, temporary folders, cloud drives. */
const OPEN: Record<Flavour, readonly string[]> = {
  posix: ['/run/media', '/var/tmp'],
  darwin: ['/private/tmp', '/private/var/tmp', '/private/var/folders', '/var/folders', '/var/tmp', '/Users/*/Library/CloudStorage', '/Users/*/Library/Mobile Documents'],
  win32: ['Users/*/AppData/Local/Temp'],
};

/** Folders that are only the stage for others: whole disks, all homes. Never chosen as a work address. */
const STAGES: Record<Flavour, readonly string[]> = {
  posix: ['/home', '/media', '/mnt', '/run/media', '/tmp', '/var/tmp'],
  darwin: ['/Users', '/Volumes', '/private/tmp', '/tmp', '/Users/Shared'],
  win32: ['Users', 'Users/Public'],
};

/**
 * True for a system folder, anything in it, and the top of a disk. A home inside such a folder
 * (`/root`, a service's account) is the person's own.
 */
export function isSystemPath(path: string, flavour: Flavour, home: string | null): boolean {
  if (splitPath(path, flavour).parts.length === 0) return true;
  if (home !== null && splitPath(home, flavour).parts.length > 0 && isWithin(path, home, flavour, 'loose') && !SYSTEM[flavour].some((at) => at.includes('*') && matches(path, at, flavour, true))) return false;
  if (OPEN[flavour].some((at) => matches(path, at, flavour, true))) return false;
  return SYSTEM[flavour].some((at) => matches(path, at, flavour, true));
}

/** True when choosing the folder would hand over a whole disk, all homes or all temporary files. */
export function isStage(path: string, flavour: Flavour): boolean {
  return splitPath(path, flavour).parts.length === 0 || STAGES[flavour].some((at) => matches(path, at, flavour, false));
}

function matches(path: string, pattern: string, flavour: Flavour, below: boolean): boolean {
  const wanted = pattern.split('/').filter((part) => part !== '');
  const { parts } = splitPath(path, flavour);
  if (below ? parts.length < wanted.length : parts.length !== wanted.length) return false;
  return wanted.every((part, i) => part === '*' || foldName(part) === foldName(parts[i]!));
}
