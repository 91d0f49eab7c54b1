import * as streams from 'node:fs';
import * as fs from 'node:fs/promises';
import { actingDeadline } from '../concurrency/acting-deadline.ts';

/** The same function, but a manager that may not act any more ends before the change. */
function whileActing<Change extends (...args: never[]) => unknown>(change: Change): Change {
  return ((...args) => {
    actingDeadline.check();
    return change(...args);
  }) as Change;
}

/**
 * The functions of `node:fs` that change files; the linter allows them from here only. A manager that was suspended may wake up
 * in front of any of them, when a standby acts already.
 */
export const chmod = whileActing(fs.chmod);
export const chown = whileActing(fs.chown);
export const copyFile = whileActing(fs.copyFile);
export const cp = whileActing(fs.cp);
export const createWriteStream = whileActing(streams.createWriteStream);
export const link = whileActing(fs.link);
export const mkdir = whileActing(fs.mkdir);
export const mkdtemp = whileActing(fs.mkdtemp);
export const open = whileActing(fs.open);
export const rename = whileActing(fs.rename);
export const rm = whileActing(fs.rm);
export const rmdir = whileActing(fs.rmdir);
export const symlink = whileActing(fs.symlink);
export const writeFile = whileActing(fs.writeFile);
