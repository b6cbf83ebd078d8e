/** Operations on links of large files. `run.ts` implements them. */
import { DashboardFileLinkList, DashboardFileLinkQuery } from '../contract/dashboard/file-links.ts';
import {
  ChangeFileLink,
  CreateFileLink,
  FileLink,
  FileLinkDetail,
  FileLinkList,
  FileLinkQuery,
} from '../contract/mail/file-links.ts';
import { declare } from '../contract/operation.ts';

export const FILE_LINK_OPERATIONS = {
  listFileLinks: declare({
    summary: 'List the file links of the mailbox',
    query: FileLinkQuery,
    success: { status: 200, description: 'A page of the links.', body: FileLinkList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/file-links' },
    },
  }),
  createFileLink: declare({
    summary: 'Create a link to files',
    description: 'The files may still be uploading, which the page of the link shows.',
    body: CreateFileLink,
    success: { status: 201, description: 'The link.', body: FileLink },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/file-links' },
    },
  }),
  getFileLink: declare({
    summary: 'Get a file link and its downloads',
    success: { status: 200, description: 'The link.', body: FileLinkDetail },
    doors: {
      mail: {
        route: 'GET /mailboxes/{mailbox}/file-links/{id}',
        resource: { name: 'file link', prefix: 'lnk' },
      },
    },
  }),
  changeFileLink: declare({
    summary: 'Change the expiry, the download limit or the password of a link',
    description: 'Omitted fields do not change.',
    body: ChangeFileLink,
    success: { status: 200, description: 'The changed link.', body: FileLink },
    doors: {
      mail: {
        route: 'PATCH /mailboxes/{mailbox}/file-links/{id}',
        resource: { name: 'file link', prefix: 'lnk' },
      },
    },
  }),
  revokeFileLink: declare({
    summary: 'Revoke a link',
    description:
      'The link stops working, and its files are deleted. A link that has already ended does not change.',
    success: { status: 204, description: 'The link is revoked.' },
    doors: {
      mail: {
        route: 'DELETE /mailboxes/{mailbox}/file-links/{id}',
        resource: { name: 'file link', prefix: 'lnk' },
      },
    },
  }),
  listProjectFileLinks: declare({
    summary: 'List the file links of all mailboxes, newest first',
    query: DashboardFileLinkQuery,
    success: { status: 200, description: 'A page of the list.', body: DashboardFileLinkList },
    doors: {
      dashboard: { route: 'GET /projects/{project}/file-links', role: 'viewer' },
    },
  }),
  revokeProjectFileLink: declare({
    summary: 'Revoke a file link of a mailbox',
    success: { status: 204, description: 'The link stops working, and its files are deleted.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/file-links/{id}',
        role: 'admin',
        resource: { name: 'file link', prefix: 'lnk' },
      },
      cli: {
        command: 'file-link revoke',
        description: 'revoke a file link: it stops working, and its files are deleted',
        example: '--project default --id lnk_01KA3V1RG9F0AQ7G8M3E5N2B4C',
        options: { project: 'the project of the link', id: 'the id of the link: lnk_...' },
        trueMember: 'revoked',
        message: 'revoked {id}',
      },
    },
  }),
  describeLinkUploads: declare({
    summary: 'Get the supported parts of tus 1.0',
    description: 'tus 1.0, with its headers.',
    success: { status: 204, description: 'The supported parts, in the headers.' },
    raw: true,
    doors: { mail: { route: 'OPTIONS /mailboxes/{mailbox}/file-links/uploads' } },
  }),
  announceLinkFile: declare({
    summary: 'Announce a large file',
    description: 'tus 1.0, with its headers.',
    bodyKind: 'octets',
    success: { status: 201, description: '`Location` is the URL to send the bytes to.' },
    errors: ['tus-version', 'plan-limit-exceeded'],
    raw: true,
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/file-links/uploads' } },
  }),
  findLinkFile: declare({
    summary: 'Get the offset of an upload',
    description: 'tus 1.0, with its headers.',
    success: {
      status: 200,
      description:
        '`Upload-Offset` is the offset, and `Posthorn-Received-Crc32` the checksum of the received bytes.',
    },
    errors: ['tus-version'],
    raw: true,
    doors: {
      mail: {
        route: 'HEAD /mailboxes/{mailbox}/file-links/uploads/{id}',
        resource: { name: 'file', prefix: 'fil' },
      },
    },
  }),
  sendLinkFile: declare({
    summary: 'Send bytes of a large file',
    description: 'tus 1.0, with its headers.',
    bodyKind: 'octets',
    success: { status: 204, description: 'The bytes are stored. `Upload-Offset` is the new offset.' },
    errors: ['tus-version', 'tus-media-type', 'upload-conflict', 'checksum-mismatch'],
    raw: true,
    doors: {
      mail: {
        route: 'PATCH /mailboxes/{mailbox}/file-links/uploads/{id}',
        resource: { name: 'file', prefix: 'fil' },
      },
    },
  }),
  sendLinkFileByPost: declare({
    summary: 'Call the method in X-HTTP-Method-Override',
    description: 'tus 1.0, with its headers, for clients and proxies that only support GET and POST.',
    bodyKind: 'octets',
    success: { status: 204, description: 'The response of that method.' },
    errors: ['tus-version', 'tus-media-type', 'upload-conflict', 'checksum-mismatch'],
    raw: true,
    doors: {
      mail: {
        route: 'POST /mailboxes/{mailbox}/file-links/uploads/{id}',
        resource: { name: 'file', prefix: 'fil' },
      },
    },
  }),
  giveUpLinkFile: declare({
    summary: 'Cancel an upload',
    description: 'tus 1.0, with its headers.',
    bodyKind: 'octets',
    success: { status: 204, description: 'The upload is deleted.' },
    errors: ['tus-version'],
    raw: true,
    doors: {
      mail: {
        route: 'DELETE /mailboxes/{mailbox}/file-links/uploads/{id}',
        resource: { name: 'file', prefix: 'fil' },
      },
    },
  }),
};
