/** The URL of the folder with our source files. */
export declare const OWN: string;
