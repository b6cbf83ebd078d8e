/** The parts of the codecs that we use. Their own types need the browser's global types. */
declare namespace WebAssembly {
  function compile(bytes: Uint8Array): Promise<Module>;
}
declare module '@jsquash/jpeg/decode.js' {
  import type { Pixels } from './shrink.ts';
  export function init(module: WebAssembly.Module, overrides: object): Promise<void>;
  export default function decode(
    bytes: ArrayBuffer,
    options: { preserveOrientation: boolean },
  ): Promise<Pixels>;
}
declare module '@jsquash/png/decode.js' {
  import type { Pixels } from './shrink.ts';
  export function init(module: WebAssembly.Module): Promise<unknown>;
  export default function decode(bytes: ArrayBuffer): Promise<Pixels>;
}
declare module '@jsquash/webp/decode.js' {
  import type { Pixels } from './shrink.ts';
  export function init(module: WebAssembly.Module, overrides: object): Promise<void>;
  export default function decode(bytes: ArrayBuffer): Promise<Pixels>;
}
declare module '@jsquash/webp/encode.js' {
  import type { Pixels } from './shrink.ts';
  export function init(module: WebAssembly.Module, overrides: object): Promise<unknown>;
  export default function encode(pixels: Pixels, options: { quality: number }): Promise<ArrayBuffer>;
}
