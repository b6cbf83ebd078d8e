/**
 * The OpenAPI document of the sources at hand, which every service in the process of a test serves. It takes a quarter of a second
 * of processor to fetch it: the tests of the document do that, and others hold answers against this one.
 */
import { openApiDocument } from '../../src/doors/http/openapi.ts';
import { type Contract, contractOf } from './openapi.ts';

let contract: Contract | undefined;

/** The same object each time, so that its schemas are compiled once. */
export function ownContract(): Contract {
  contract ??= contractOf(JSON.stringify(openApiDocument(null)));
  return contract;
}
