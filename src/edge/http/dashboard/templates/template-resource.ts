export const TEMPLATE = { name: 'template', prefix: 'tpl' } as const;
export const VERSION = { name: 'version of this template', prefix: 'ver' } as const;
