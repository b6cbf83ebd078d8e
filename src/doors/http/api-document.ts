/** The parts of the OpenAPI document that the documentation pages and the SDK generator read. */

export interface Reference {
  $ref: string;
}

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  format?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  examples?: readonly unknown[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  not?: Schema;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  'x-max-bytes'?: number;
}

export interface Parameter extends DocumentHeader {
  name: string;
  in: 'path' | 'query' | 'header';
  example?: unknown;
}

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Readonly<Record<string, { value?: unknown }>>;
}

export interface DocumentHeader {
  description?: string | undefined;
  required?: boolean;
  schema: Schema;
}

export interface Response {
  description: string;
  headers?: Readonly<Record<string, DocumentHeader | Reference>>;
  content?: Readonly<Record<string, Media>>;
}

export interface DocumentOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: { required?: boolean; content: Readonly<Record<string, Media>> };
  responses: Readonly<Record<string, Response | Reference>>;
}

/** A request that the service sends to a webhook. The request needs no API key. */
export type WebhookRequest = DocumentOperation &
  Required<Pick<DocumentOperation, 'requestBody'>> & { security: readonly [] };

export interface ApiDocument {
  info: { title: string; version: string; description?: string };
  servers: readonly { url: string; description?: string }[];
  tags: readonly { name: string; description?: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  webhooks: Readonly<Record<string, { post: WebhookRequest }>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    securitySchemes: Readonly<Record<string, { description?: string }>>;
  };
}
