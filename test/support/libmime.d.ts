declare module 'libmime' {
  const libmime: {
    decodeWords(text: string): string;
    parseHeaderValue(text: string): { value: string; params: Record<string, string> };
  };
  export default libmime;
}
