/** URL of the folder with our own files. */
export declare const OWN: string;
