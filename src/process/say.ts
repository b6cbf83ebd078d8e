/** Tells whoever runs the service something. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
