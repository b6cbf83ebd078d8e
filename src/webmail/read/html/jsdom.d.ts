/** What is used of jsdom. Its own types bring those of a browser with them, for the whole program. */
declare module 'jsdom' {
  export class JSDOM {
    constructor(html: string);
    readonly window: object;
  }
}
