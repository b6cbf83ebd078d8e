import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shaCrypt } from './sha-crypt.ts';

const LONG = 'a very much longer text to encrypt.  This one even stretches over morethan one line.';
/** The test vectors of Drepper's specification, without those that only add rounds. Salts are cut to 16 bytes, as they are in hashes. */
const VECTORS: [digest: 'sha256' | 'sha512', rounds: number, salt: string, password: string, hash: string][] =
  [
    ['sha256', 5_000, 'saltstring', 'Hello world!', '5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5'],
    ['sha256', 10_000, 'saltstringsaltst', 'Hello world!', '3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA'],
    [
      'sha256',
      5_000,
      'toolongsaltstrin',
      'This is just a test',
      'Un/5jzAHMgOGZ5.mWJpuVolil07guHPvOW8mGRcvxa5',
    ],
    ['sha256', 1_400, 'anotherlongsalts', LONG, 'Rx.j8H.h8HjEDGomFU8bDkXm3XIUnzyxf12oP84Bnq1'],
    [
      'sha256',
      1_000,
      'roundstoolow',
      'the minimum number is still observed',
      'yfvwcWrQ8l/K0DAWyuPMDNHpIVlTQebY9l/gL972bIC',
    ],
    [
      'sha512',
      5_000,
      'saltstring',
      'Hello world!',
      'svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
    ],
    [
      'sha512',
      10_000,
      'saltstringsaltst',
      'Hello world!',
      'OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.',
    ],
    [
      'sha512',
      5_000,
      'toolongsaltstrin',
      'This is just a test',
      'lQ8jolhgVRVhY4b5pZKaysCLi0QBxGoNeKQzQ3glMhwllF7oGDZxUhx1yxdYcz/e1JSbq3y6JMxxl8audkUEm0',
    ],
    [
      'sha512',
      1_400,
      'anotherlongsalts',
      LONG,
      'POfYwTEok97VWcjxIiSOjiykti.o/pQs.wPvMxQ6Fm7I6IoYN3CmLs66x9t0oSwbtEW7o7UmJEiDwGqd8p4ur1',
    ],
    [
      'sha512',
      1_000,
      'roundstoolow',
      'the minimum number is still observed',
      'kUMsbe306n21p9R.FRkW3IGn.S9NPN0x50YhH1xhLsPuWGsUSklZt58jaTfF4ZEQpyUNGc0dqbpBYYBaHHrsX.',
    ],
  ];

for (const [digest, rounds, salt, password, hash] of VECTORS)
  test(`${digest} with ${rounds} rounds and the salt ${salt} gives the hash of the specification`, () => {
    assert.equal(shaCrypt(digest, Buffer.from(password), Buffer.from(salt), rounds), hash);
  });
