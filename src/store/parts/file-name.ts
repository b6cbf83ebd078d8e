/** Turns the names of attachments, which are untrusted, into names that are safe to show and to save. */

export interface FileName {
  /** The name without path separators, bidi controls and control characters. Never empty, at most 200 characters. */
  name: string;
  /** A warning for the user, or null. */
  warning: string | null;
}

const MAX_NAME = 200;
const TURNING = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;
const NOT_IN_NAMES = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu;
const PATHS = /[/\\:*?"<>|\u2044\u2215\u29f8\uff0f\uff3c]/g;
/** Windows device names, with any extension. Windows treats the superscript digits in its code page as digits. */
const DEVICES = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\s*(?:\.|$))/i;
const PROGRAMS = new Set(
  (
    'exe com scr pif bat cmd msi msp msix msc cpl dll sys drv jar jnlp js jse vbs vbe vb wsf wsh wsc hta ps1 ps1xml psm1 reg inf lnk url scf ' +
    'chm hlp gadget application appref-ms appx msu iso img vhd vhdx dmg pkg app command terminal workflow sh bash zsh csh run desktop deb rpm apk ' +
    'xll ade adp mde accde settingcontent-ms library-ms search-ms website diagcab theme themepack xbap job py pyc pyw rb pl'
  ).split(' '),
);
const WITH_MACROS = new Set('docm dotm xlsm xltm xlam xlsb pptm potm ppsm ppam sldm one'.split(' '));
const PAGES = new Set('html htm xhtml xht shtml mht mhtml svg svgz xml xsl xslt'.split(' '));
const DOCUMENTS =
  /\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|txt|rtf|csv|jpe?g|png|gif|webp|heic|mp[34]|mov|avi|wav|zip|html?)[\s._-]*\.[a-z0-9]{1,16}$/i;
const ENDS: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'text/html': 'html',
  'text/calendar': 'ics',
  'message/rfc822': 'eml',
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/**
 * @param given the decoded name, or an empty text
 * @param type in lower case
 * @param part the part number, from which a nameless part gets its name
 */
export function fileName(given: string, type: string, part: string): FileName {
  const turned = /[\u202a-\u202e\u2066-\u2069]/.test(given);
  const name = given
    .replace(TURNING, '')
    .replace(NOT_IN_NAMES, '')
    .replace(PATHS, '_')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s.]+|[\s.]+$/g, '')
    .replace(DEVICES, '_$&')
    .toWellFormed();
  const shown =
    name === ''
      ? `${type.startsWith('image/') ? 'image' : 'attachment'}-${part}${endOf(type)}`
      : shortened(name);
  return { name: shown, warning: warningOf(shown, turned) };
}

function endOf(type: string): string {
  const end = ENDS[type];
  return end === undefined ? '' : `.${end}`;
}

/** Shortens a name but keeps the extension, which shows the type of the file. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_NAME) return name;
  const end = /\.[^.]{1,16}$/.exec(name)?.[0] ?? '';
  return `${characters.slice(0, MAX_NAME - end.length - 1).join('')}…${end}`;
}

function warningOf(name: string, turned: boolean): string | null {
  const end = /\.([^.]{1,24})$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (turned) return 'Its name contains characters that reorder text, so it looks like another kind of file.';
  if (PROGRAMS.has(end))
    return DOCUMENTS.test(name)
      ? `It looks like a document but is a program (.${end}). Do not open it.`
      : `It is a program (.${end}). Open it only if you know who sent it and why.`;
  if (WITH_MACROS.has(end))
    return `It can contain a program (.${end}). Open it only if you know who sent it and why.`;
  if (PAGES.has(end))
    return `It is a web page (.${end}) that can run scripts in your browser and may ask for passwords.`;
  return null;
}
