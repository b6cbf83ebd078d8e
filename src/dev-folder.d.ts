export function devFolder(args: readonly string[]): string;
export function defaultFolder(): string;
