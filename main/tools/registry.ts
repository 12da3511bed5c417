import { copyFile } from './copy-file.ts';
import { createFile } from './create-file.ts';
import { createFolder } from './create-folder.ts';
import { editFile } from './edit-file.ts';
import { fileInfo } from './file-info.ts';
import { listFiles } from './list-files.ts';
import { moveFile } from './move-file.ts';
import { readFile } from './read-file.ts';
import { readImage } from './read-image.ts';
import { renameFile } from './rename-file.ts';
import { replaceAll } from './replace-all.ts';
import { searchFiles } from './search-files.ts';
import { searchText } from './search-text.ts';
import { trashFile } from './trash-file.ts';
import type { Tool } from './types.ts';
import { undoChanges } from './undo-changes.ts';
import { writeFile } from './write-file.ts';

/** The file tools by name. Commands, documents and the browser add theirs; there is no tool that deletes for good (C-04, C-10). */
export function createTools(): Map<string, Tool> {
  const tools = [listFiles, readFile, searchFiles, searchText, fileInfo, readImage, createFile, writeFile, editFile, replaceAll, createFolder, copyFile, moveFile, renameFile, trashFile, undoChanges];
  return new Map(tools.map((tool) => [tool.name, tool as unknown as Tool]));
}
