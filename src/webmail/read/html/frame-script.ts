/** The script that reports the height of a message to the page around its frame (docs/decisions/0154-height.md). */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const FRAME_SCRIPT = readFileSync(new URL('./frame-script.js', import.meta.url), 'utf8');

/** The source expression of a Content-Security-Policy that allows this script and no other. */
export const FRAME_SCRIPT_SOURCE = `'sha256-${createHash('sha256').update(FRAME_SCRIPT).digest('base64')}'`;
