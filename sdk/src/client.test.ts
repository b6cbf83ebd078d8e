import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Posthorn, type PosthornOptions } from './index.ts';

const API_KEY = 'svc_live_test';

const OPTIONS: readonly (readonly [name: string, options: Partial<PosthornOptions>])[] = [
  ['an empty key', { apiKey: '' }],
  ['a key with a line break', { apiKey: 'svc_live_x\n' }],
  ['a URL without a scheme', { baseUrl: 'mail.example.com' }],
  ['a URL with another scheme', { baseUrl: 'file:///etc/passwd' }],
  ['a URL with a query', { baseUrl: 'https://mail.example.com/?x=1' }],
  ['a URL with a password', { baseUrl: 'https://user:secret@mail.example.com' }],
  ['retries that are not a number', { maxRetries: Number.NaN }],
  ['a time-out of 0', { timeoutMs: 0 }],
  ['a time-out beyond the range of timers', { timeoutMs: 2 ** 31 }],
];
for (const [name, options] of OPTIONS) {
  test(`the constructor rejects ${name}, and the error contains no secret`, () => {
    assert.throws(
      () => new Posthorn({ apiKey: API_KEY, baseUrl: 'https://mail.example.com', ...options }),
      (error) => error instanceof TypeError && !/svc_live|secret/.test(error.message),
    );
  });
}
