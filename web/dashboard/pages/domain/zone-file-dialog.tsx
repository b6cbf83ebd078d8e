import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { download } from '../../../ui/download.ts';
import { DownloadIcon } from '../../../ui/icons.tsx';

interface ZoneFileDialogProps {
  domain: string;
  text: string;
  isOpen: boolean;
  onClose(): void;
}

export function ZoneFileDialog({ domain, text, isOpen, onClose }: ZoneFileDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Zone file"
      width="wide"
      description="For name servers and DNS panels that can import one. Records that could replace existing ones you need are commented out."
      actions={
        <Button icon={<DownloadIcon />} onClick={() => download(`${domain}.zone`, text, 'text/dns')}>
          Download
        </Button>
      }
    >
      <CodeBlock code={text} label="the zone file" isWrapped />
    </Dialog>
  );
}
