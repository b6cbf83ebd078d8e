/** The folder of the cache. */
export declare const SOURCE_CACHE: string;
/** Whether the folder exists and only we can write to it. */
export declare function isUsable(): boolean;
/** The name in the cache of the stripped source. */
export declare function nameInCache(source: Buffer): string;
/** @returns the stripped source of a file; null if it is not in the cache, or incomplete there */
export declare function readStripped(path: string): Buffer | null;
/** Writes a stripped source to the cache. */
export declare function writeStripped(name: string, stripped: string): void;
/** The paths of all source files. */
export declare function sourceFiles(): string[];
/** The path of the file that exists when the cache contains the current version of all sources. */
export declare function fullMarker(): string;
/** Fills the cache if a source has changed since the last start. */
export declare function fillSourceCache(): Promise<void>;
