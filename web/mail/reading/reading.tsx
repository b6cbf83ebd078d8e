/** What goes on while mail is read, whatever page is shown. */
export function Reading() {
  return null;
}
