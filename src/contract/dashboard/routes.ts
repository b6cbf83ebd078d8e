/** Settings of routes that only the dashboard changes (docs/routes.md). */
import { Type } from 'typebox';
import { Secret } from '../schema.ts';

export const RouteSecret = Type.Object(
  { secret: Secret(Type.String({ description: 'The new secret, which is not shown again.' })) },
  { $id: 'RouteSecret' },
);
export type RouteSecret = Type.Static<typeof RouteSecret>;

export const ApiAccess = Type.Object(
  { api_access: Type.Boolean({ description: 'Whether routes may pass mail of the mailbox to programs.' }) },
  { $id: 'ApiAccess', additionalProperties: false },
);
export type ApiAccess = Type.Static<typeof ApiAccess>;
