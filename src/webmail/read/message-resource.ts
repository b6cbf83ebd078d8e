export const MESSAGE = { name: 'message', prefix: 'msg' } as const;
