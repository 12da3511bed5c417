import { writeSync } from 'node:fs';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { acquireLock } from '#main/lock/lock.ts';

/** Tries to take the lock of a data folder, says how it went, and holds on until its stdin ends or it is killed. */
const [dir, by] = process.argv.slice(2) as [string, 'socket' | 'file'];
const lock = await acquireLock(createNodeFs(), dir, { by });
writeSync(1, (lock.ok ? 'mine' : lock.error.code) + '\n');
process.stdin.on('end', () => process.exit(0)).resume();
