/** The manifests of deploy/kubernetes, as kubectl builds them, against the published schema of Kubernetes. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { suite, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { unknownVariables } from '../../../src/app/unknown-variables.ts';

const ROOT = join(import.meta.dirname, '../../..');
const withKubectl = {
  skip: spawnSync('kubectl', ['version', '--client']).status === 0 ? false : 'kubectl is not installed',
};

interface Container {
  image: string;
  envFrom: { configMapRef?: { name: string } }[];
  env?: { name: string; value?: string }[];
  ports: { name: string; containerPort: number }[];
  securityContext: object;
}

interface PodSpec {
  securityContext: object;
  containers: Container[];
}

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: {
    selector?: Record<string, string>;
    ports?: { targetPort: string }[];
    template?: { metadata: { labels: Record<string, string> }; spec: PodSpec };
  };
}

function build(overlay: string, folder = join(ROOT, 'deploy/kubernetes', overlay)): Manifest[] {
  const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

/** The modules of `kubernetes-models` have the names of API versions. They are generated from the OpenAPI document of Kubernetes. */
function moduleOf({ apiVersion }: Manifest): string {
  return `kubernetes-models/${apiVersion}`;
}

/** Compiles the manifests as literals of the types of the schema, which also finds unknown fields. @returns the errors */
function typeErrors(manifests: readonly Manifest[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-kubernetes-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const lines = manifests.map(
      (each) => `(${JSON.stringify(each)}) satisfies import('${moduleOf(each)}').I${each.kind};`,
    );
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', 'node'];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [tsc, ...options, 'manifests.ts'], { cwd: folder, encoding: 'utf8' })
      .stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const podSpecs = (manifests: readonly Manifest[]): PodSpec[] =>
  manifests.flatMap(({ spec }) => spec?.template?.spec ?? []);

for (const overlay of ['base', 'cluster']) {
  suite(`the manifests of deploy/kubernetes/${overlay}`, withKubectl, () => {
    const manifests = withKubectl.skip === false ? build(overlay) : [];

    test('have only the fields, types and values of the schema', async () => {
      assert.ok(manifests.length > 4);
      assert.equal(typeErrors(manifests), '');
      for (const each of manifests) {
        const models = (await import(moduleOf(each))) as Record<
          string,
          new (
            manifest: Manifest,
          ) => { validate(): void }
        >;
        const Model = models[each.kind];
        assert.ok(Model, each.kind);
        new Model(each).validate();
      }
    });

    test('start every container as the restricted policy of Kubernetes requires', () => {
      const specs = podSpecs(manifests);
      assert.equal(specs.length, overlay === 'base' ? 1 : 2);
      for (const { securityContext, containers } of specs) {
        assert.partialDeepStrictEqual(securityContext, {
          runAsNonRoot: true,
          runAsUser: 10_001,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const container of containers)
          assert.deepEqual(container.securityContext, {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
      }
    });

    test('name ports on which a pod behind the service listens', () => {
      const exposed = /^EXPOSE (.*)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1]?.split(' ');
      for (const { spec } of manifests.filter(({ kind }) => kind === 'Service')) {
        const behind = manifests.filter(({ spec: other }) =>
          Object.entries(spec?.selector ?? {}).every(
            ([label, value]) => other?.template?.metadata.labels[label] === value,
          ),
        );
        assert.equal(behind.length, 1);
        const ports = podSpecs(behind).flatMap(({ containers }) => containers.flatMap((each) => each.ports));
        assert.deepEqual(
          ports.map(({ containerPort }) => String(containerPort)).toSorted(),
          exposed?.toSorted(),
        );
        for (const { targetPort } of spec?.ports ?? [])
          assert.ok(
            ports.some(({ name }) => name === targetPort),
            targetPort,
          );
      }
    });

    test('set only variables that Posthorn knows', () => {
      const variables = [
        ...manifests.flatMap(({ data = {} }) => Object.entries(data)),
        ...podSpecs(manifests).flatMap(({ containers }) =>
          containers.flatMap(({ env = [] }) => env.map(({ name, value }) => [name, value])),
        ),
      ];
      assert.ok(variables.length >= 5);
      assert.deepEqual(unknownVariables(Object.fromEntries(variables)), []);
    });
  });
}

test('the settings of the guide replace those of the manifests, and name the image', withKubectl, () => {
  const guide = readFileSync(join(ROOT, 'docs/operate/kubernetes.md'), 'utf8');
  const [, settings = ''] = /```yaml\n(.*?)```/s.exec(guide) ?? [];
  for (const overlay of ['base', 'cluster']) {
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-kubernetes-'));
    try {
      const path = relative(folder, join(ROOT, 'deploy/kubernetes', overlay));
      const own = settings.replace(/\.\.\/posthorn-.*/, path);
      writeFileSync(join(folder, 'kustomization.yaml'), own);
      const manifests = build(overlay, folder);
      const map = manifests.find(({ kind }) => kind === 'ConfigMap');
      assert.equal(map?.data?.['POSTHORN_PROVIDER'], 'direct');
      assert.equal(map.data['POSTHORN_ENV'], 'production');
      assert.equal(unknownVariables(map.data).length, 0);
      for (const { image, envFrom } of podSpecs(manifests).flatMap(({ containers }) => containers)) {
        assert.equal(image, 'registry.acme.example/posthorn:0.2.0');
        // A changed ConfigMap has another name, so Kubernetes replaces the pods.
        assert.equal(envFrom[0]?.configMapRef?.name, map.metadata.name);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
});

test('the check of the schema finds an unknown field and a wrong value', withKubectl, () => {
  const manifests = build('base').filter(({ kind }) => kind === 'StatefulSet');
  const change = (from: string, to: string) =>
    typeErrors(JSON.parse(JSON.stringify(manifests).replace(from, to)) as Manifest[]);
  assert.match(change('"readOnlyRootFilesystem"', '"readonlyRootFilesystem"'), /readonlyRootFilesystem/);
  assert.match(change('"replicas":1', '"replicas":"1"'), /not assignable to type 'number'/);
});
