/**
 * The OpenAPI document of this source tree, which every service in tests serves. Fetching the document takes a quarter of a second of
 * processor time, so only the tests of the document fetch it. All other tests use this copy.
 */
import { openApiDocument } from '../../src/doors/http/openapi.ts';
import { type Contract, contractOf } from './openapi.ts';

let contract: Contract | undefined;

/** @returns the same object each time, so that its schemas are compiled only once */
export function ownContract(): Contract {
  contract ??= contractOf(JSON.stringify(openApiDocument(null)));
  return contract;
}
