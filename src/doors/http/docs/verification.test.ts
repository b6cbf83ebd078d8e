/** Tests the sample code of docs/webhooks.md in each language with the same vectors. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyWebhook } from '../../../../docs/webhook-verification/verify.ts';
import { standardEvent } from '../../../../docs/webhook-verification/standard-webhooks.ts';
import { deliveryHeaders, signatureHeader } from '../../../webhooks/post-event.ts';
import { newSecret } from '../../../webhooks/secret.ts';

const FOLDER = join(import.meta.dirname, '../../../../docs/webhook-verification');
const SECRET = 'whsec_8Jt4nqTNY7JzO5hXbH3uVw2kRzq1mD0sGf6LcPa9EoI';
const OTHER = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const NOW = 1_795_187_045;
const BODY = '{"id":"evt_1","data":{"subject":"Grüße 😀"}}';

const right = signatureHeader(SECRET, BODY, NOW);
const hex = right.slice(right.indexOf('v1=') + 3);
const at = (time: number) => signatureHeader(SECRET, BODY, time);

const vectors: readonly { name: string; header: string; body?: string; isRight: boolean }[] = [
  { name: 'valid', header: right, isRight: true },
  { name: 'valid, 300 seconds old', header: at(NOW - 300), isRight: true },
  { name: 'valid, 300 seconds ahead', header: at(NOW + 300), isRight: true },
  { name: 'one second too old', header: at(NOW - 301), isRight: false },
  { name: 'one second too far ahead', header: at(NOW + 301), isRight: false },
  {
    name: 'a new time with an old signature',
    header: `t=${NOW},${at(NOW - 400).split(',')[1]}`,
    isRight: false,
  },
  { name: 'another secret', header: signatureHeader(OTHER, BODY, NOW), isRight: false },
  { name: 'another body', header: right, body: `${BODY} `, isRight: false },
  { name: 'an empty body', header: signatureHeader(SECRET, '', NOW), body: '', isRight: true },
  {
    name: 'two wrong v1 signatures',
    header: `${signatureHeader(OTHER, BODY, NOW)},${signatureHeader(OTHER, BODY, NOW).split(',')[1]}`,
    isRight: false,
  },
  { name: 'an unknown part', header: `${right},v2=abc`, isRight: true },
  { name: 'no header', header: '', isRight: false },
  { name: 'no time', header: `v1=${hex}`, isRight: false },
  { name: 'an empty time', header: `t=,v1=${hex}`, isRight: false },
  { name: 'a time that is not a number', header: `t=now,v1=${hex}`, isRight: false },
  { name: 'a time with a sign', header: `t=+${NOW},v1=${hex}`, isRight: false },
  { name: 'a time with a fraction', header: `t=${NOW}.0,v1=${hex}`, isRight: false },
  { name: 'a time with a line break', header: `t=${NOW}\n,v1=${hex}`, isRight: false },
  { name: 'a time of many digits', header: `t=${'9'.repeat(400)},v1=${hex}`, isRight: false },
  { name: 'digits of another script', header: `t=١٧٩٥١٨٧٠٤٥,v1=${hex}`, isRight: false },
  { name: 'no signature', header: `t=${NOW}`, isRight: false },
  { name: 'an empty signature', header: `t=${NOW},v1=`, isRight: false },
  { name: 'a truncated signature', header: right.slice(0, -2), isRight: false },
  { name: 'a signature followed by more digits', header: `${right}00`, isRight: false },
  { name: 'a signature that is not hexadecimal', header: `t=${NOW},v1=${'é'.repeat(64)}`, isRight: false },
  { name: 'only separators', header: ',,==,=', isRight: false },
];

const inputs = vectors.map(({ header, body = BODY }) => ({
  secret: SECRET,
  header,
  body: Buffer.from(body).toString('base64'),
  now: NOW,
}));

for (const { name, header, body = BODY, isRight } of vectors) {
  test(`verify.ts returns the expected result for the vector: ${name}`, () => {
    assert.equal(verifyWebhook(SECRET, header, Buffer.from(body), NOW), isRight);
  });
}

test('verify.ts compares a body that is not UTF-8 byte for byte', () => {
  const body = Buffer.from([0x7b, 0xff, 0x7d]);
  assert.ok(!verifyWebhook(SECRET, signatureHeader(SECRET, body.toString(), NOW), body, NOW));
});

test('the code for Standard Webhooks returns the event of a delivery, and rejects one that was changed', () => {
  const secret = newSecret();
  const unixSeconds = Math.floor(Date.now() / 1_000);
  const headers = deliveryHeaders({ current: secret, next: null }, { id: 'evt_1', body: BODY }, unixSeconds);
  assert.deepEqual(standardEvent(secret, headers, BODY), JSON.parse(BODY));
  assert.throws(() => standardEvent(secret, headers, `${BODY} `), /No matching signature/);
});

interface Language {
  name: string;
  /** The command that exits with 0 if the language is installed. */
  probe: readonly [command: string, ...args: string[]];
  /** The command that reads the inputs from standard input and prints a list of booleans. */
  run(folder: string): Promise<readonly [command: string, ...args: string[]]>;
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'Python',
    probe: ['python3', '--version'],
    run: async () => [
      'python3',
      '-Bc',
      `
import base64, json, sys
sys.path.insert(0, sys.argv[1])
from verify import verify_webhook
print(json.dumps([verify_webhook(i["secret"], i["header"], base64.b64decode(i["body"]), i["now"]) for i in json.load(sys.stdin)]))`,
      FOLDER,
    ],
  },
  {
    name: 'Go',
    probe: ['go', 'version'],
    run: async (folder) => {
      await mkdir(join(folder, 'webhook'));
      await cp(join(FOLDER, 'verify.go'), join(folder, 'webhook/verify.go'));
      await writeFile(join(folder, 'go.mod'), 'module example\n\ngo 1.18\n');
      await writeFile(
        join(folder, 'main.go'),
        `package main

import (
	"encoding/json"
	"os"
	"time"

	"example/webhook"
)

func main() {
	var inputs []struct {
		Secret, Header string
		Body           []byte
		Now            int64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&inputs); err != nil {
		panic(err)
	}
	results := []bool{}
	for _, i := range inputs {
		results = append(results, webhook.Verify(i.Secret, i.Header, i.Body, time.Unix(i.Now, 0)))
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}
`,
      );
      return ['go', 'run', '.'];
    },
  },
  {
    name: 'PHP',
    probe: ['php', '--version'],
    run: async () => [
      'php',
      '-r',
      `require $argv[1];
echo json_encode(array_map(
  fn ($i) => verify_webhook($i['secret'], $i['header'], base64_decode($i['body']), $i['now']),
  json_decode(file_get_contents('php://stdin'), true)
));`,
      join(FOLDER, 'verify.php'),
    ],
  },
  {
    name: 'Ruby',
    probe: ['ruby', '--version'],
    run: async () => [
      'ruby',
      '-rjson',
      '-r',
      join(FOLDER, 'verify.rb'),
      '-e',
      'puts JSON.generate(JSON.parse($stdin.read).map { |i| verify_webhook(i["secret"], i["header"], i["body"].unpack1("m"), i["now"]) })',
    ],
  },
];

for (const { name, probe, run } of LANGUAGES) {
  const [command, ...args] = probe;
  const isThere = spawnSync(command, args).status === 0;
  test(`the sample code in ${name} returns the expected result for every vector`, {
    skip: isThere ? false : `${command} is not installed`,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-verify-'));
    try {
      const [program, ...rest] = await run(folder);
      const { stdout, stderr } = spawnSync(program, rest, {
        input: JSON.stringify(inputs),
        encoding: 'utf8',
        cwd: folder,
        // By default, Go caches builds below the home folder, which some users do not have.
        env: { ...process.env, GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod' },
      });
      assert.equal(stderr, '');
      const results = JSON.parse(stdout) as boolean[];
      assert.deepEqual(
        vectors.map((vector, index) => [vector.name, results[index]]),
        vectors.map((vector) => [vector.name, vector.isRight]),
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}
