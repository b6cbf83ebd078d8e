/** The certificate that clients are shown. It is read again when its files change: a renewed one needs no restart. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { StartupError } from '../../db/embedded/startup-error.ts';

export interface CertificateFiles {
  certPath: string;
  keyPath: string;
}

export class Certificate {
  readonly #files: CertificateFiles;
  readonly #onFault: (error: unknown) => void;
  #context: SecureContext;
  #seen: string;

  /**
   * @param onFault told of new files that cannot be used, once; the certificate before them stays in use
   * @throws StartupError when the files cannot be read, or do not belong together
   */
  constructor(files: CertificateFiles, onFault: (error: unknown) => void) {
    this.#files = files;
    this.#onFault = onFault;
    try {
      this.#seen = this.#look();
      this.#context = this.#read();
    } catch (cause) {
      throw new StartupError(
        `The certificate of POSTHORN_TLS_CERT and the key of POSTHORN_TLS_KEY cannot be used: ${(cause as Error).message}`,
        { cause },
      );
    }
  }

  /** For the next handshake. */
  current(): SecureContext {
    try {
      const seen = this.#look();
      if (seen !== this.#seen) {
        this.#seen = seen;
        this.#context = this.#read();
      }
    } catch (error) {
      this.#onFault(error);
    }
    return this.#context;
  }

  /** What changes when a file is written, replaced or removed. */
  #look(): string {
    return [this.#files.certPath, this.#files.keyPath]
      .map((path) => statSync(path, { throwIfNoEntry: false }))
      .map((file) => (file === undefined ? 'gone' : `${file.ino} ${file.mtimeMs} ${file.size}`))
      .join(' ');
  }

  #read(): SecureContext {
    const [cert, key] = [readFileSync(this.#files.certPath), readFileSync(this.#files.keyPath)];
    // OpenSSL accepts a key of another kind than the certificate's; then every handshake would fail.
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
      throw new Error('they do not belong together');
    return createSecureContext({ cert, key });
  }
}
