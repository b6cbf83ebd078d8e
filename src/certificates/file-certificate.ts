/** A certificate in files. It is read again when they change: a renewed one needs no restart, and no session hears of it. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { StartupError } from '../model/startup-error.ts';
import { certificateExpiry } from '../observe/instruments.ts';
import type { Certificates } from './certificates.ts';

export interface CertificatePaths {
  certPath: string;
  keyPath: string;
}

export class FileCertificate implements Certificates {
  /** It is there from the start. */
  readonly arrived = Promise.resolve();
  readonly answers = null;
  readonly #files: CertificatePaths;
  readonly #onFault: (error: unknown) => void;
  #context: SecureContext;
  #seen: string;

  /**
   * @param onFault told of new files that cannot be used, once; the certificate before them stays in use
   * @throws StartupError when the files cannot be read, or do not belong together
   */
  constructor(files: CertificatePaths, onFault: (error: unknown) => void) {
    this.#files = files;
    this.#onFault = onFault;
    this.#seen = this.#look();
    try {
      this.#context = this.#read();
    } catch (cause) {
      throw new StartupError(
        `The certificate of POSTHORN_TLS_CERT and the key of POSTHORN_TLS_KEY cannot be used: ${(cause as Error).message}`,
        { cause },
      );
    }
  }

  /** The one certificate, whatever the name. */
  readonly secureContext = (): SecureContext => {
    const seen = this.#look();
    if (seen === this.#seen) return this.#context;
    this.#seen = seen;
    try {
      this.#context = this.#read();
    } catch (error) {
      this.#onFault(error);
    }
    return this.#context;
  };

  /** What changes when a file is written, replaced or removed. Never throws: a fault would be told at each handshake. */
  #look(): string {
    return [this.#files.certPath, this.#files.keyPath].map(stateOf).join(' ');
  }

  #read(): SecureContext {
    const [cert, key] = [readFileSync(this.#files.certPath), readFileSync(this.#files.keyPath)];
    const certificate = new X509Certificate(cert);
    // OpenSSL accepts a key of another kind than the certificate's; then every handshake would fail.
    if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new Error('they do not belong together');
    certificateExpiry.set(certificate.validToDate.getTime() / 1_000);
    return createSecureContext({ cert, key });
  }
}

function stateOf(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return `${ino} ${mtimeMs} ${size}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
