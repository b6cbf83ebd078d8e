/** The OpenAPI document, made by the API itself, and as much of its grammar as the generator reads. */
import { pino } from 'pino';
import { buildApi } from '../../src/edge/http/api.ts';
import type { HttpServices } from '../../src/edge/http/services.ts';

/** JSON Schema. Keywords that narrow a value without changing its TypeScript type are not here. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  const?: unknown;
  enum?: readonly unknown[];
  not?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
}

export interface Parameter {
  in: 'path' | 'query' | 'header' | 'cookie';
  name: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Content {
  content?: Readonly<Record<string, { schema: Schema }>>;
}

export interface DocumentedOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: Content & { required?: boolean };
  responses: Readonly<Record<string, Content>>;
}

export interface OpenApiDocument {
  info: { version: string };
  tags: readonly { name: string; description?: string }[];
  components: { schemas: Readonly<Record<string, Schema>> };
  paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

/** What `/openapi.yaml` serves, without a database: no operation runs. */
export async function readDocument(): Promise<OpenApiDocument> {
  const api = await buildApi({} as HttpServices, {
    rateLimit: 0,
    trustedProxies: [],
    baseUrl: null,
    logger: pino({ level: 'silent' }),
  });
  await api.ready();
  try {
    return JSON.parse(JSON.stringify(api.swagger())) as OpenApiDocument;
  } finally {
    await api.close();
  }
}
