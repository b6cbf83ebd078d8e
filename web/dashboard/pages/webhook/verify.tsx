/** Code that verifies a signature, from the tested files in docs/webhook-verification. */
import { useState } from 'react';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Tabs } from '../../../ui/tabs.tsx';

const FOLDER = '../../../../docs/webhook-verification';
const files = import.meta.glob<string>('../../../../docs/webhook-verification/verify.*', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const LANGUAGES = { TypeScript: 'ts', Python: 'py', Go: 'go', PHP: 'php', Ruby: 'rb' };

export default function Verify() {
  const [language, setLanguage] = useState('TypeScript');
  return (
    <Tabs
      label="Languages"
      value={language}
      onChange={setLanguage}
      tabs={Object.entries(LANGUAGES).map(([name, ending]) => ({
        value: name,
        label: name,
        content: (
          <CodeBlock
            label={`the ${name} example`}
            code={files[`${FOLDER}/verify.${ending}`]?.trimEnd() ?? ''}
          />
        ),
      }))}
    />
  );
}
