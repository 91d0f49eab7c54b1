import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const version = 'v1';

/** Encrypts secrets at rest with AES-256-GCM. `context` binds a value to its place, so that it can't be moved to another row. */
export interface SecretBox {
  seal(plain: string, context: string): string;
  /** Throws when the value was altered, belongs to another context, or was sealed with another key. */
  open(sealed: string, context: string): string;
}

/** A secret box whose 256-bit key is derived from `secretKey` (any string of sufficient entropy). */
export function createSecretBox(secretKey: string): SecretBox {
  const key = createHash('sha256').update(`tenantry-secret-box:${secretKey}`).digest();
  return {
    seal(plain, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return [version, ...[nonce, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.');
    },
    open(sealed, context) {
      const [mark, nonce, tag, body] = sealed.split('.');
      if (mark !== version || !nonce || !tag || body === undefined) throw new Error('Not a sealed value');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'));
      decipher.setAAD(Buffer.from(context)).setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString('utf8');
    },
  };
}
