/** Holds what webhooks deliver against the OpenAPI document. */
import { openApiDocument } from '../../src/edge/http/openapi.ts';
import { contractOf } from './openapi.ts';

const contract = contractOf(JSON.stringify(openApiDocument(null)));

/**
 * @param body as it was delivered
 * @throws AssertionError where it is not as the document says
 */
export function checkDelivery(body: string): void {
  contract.checkDelivery(JSON.parse(body) as { type: string });
}
