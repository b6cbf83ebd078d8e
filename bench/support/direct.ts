/** Starts the product with direct delivery, for the parts that measure direct delivery. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Product, startProduct } from './product.ts';

export interface World {
  /** The `ip:port` of the DNS server. */
  dns: string;
  /** The port of every mail server. */
  mxPort: number;
}

export function startDirect(folder: string, { dns, mxPort }: World): Promise<Product> {
  mkdirSync(folder, { recursive: true });
  return startProduct(join(folder, 'product'), {
    POSTHORN_PROVIDER: 'direct',
    POSTHORN_DNS: dns,
    POSTHORN_MX_PORT: String(mxPort),
  });
}
