/** The part of jsdom that we use. The types of jsdom itself would add the browser's global types to the whole program. */
declare module 'jsdom' {
  export class JSDOM {
    constructor(html: string);
    readonly window: object;
  }
}
