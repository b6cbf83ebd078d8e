/** The parts that the HTML bodies of all starters share: tables and inline styles, which all mail apps show, in light and in dark colors. */

const FONT = '16px/1.5 Arial,Helvetica,sans-serif';
const TEXT = `font:${FONT};color:#14181f`;

/** A whole document around the content of a starter. Mail apps without support for `<style>` show the light colors. */
export function documentOf(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="supported-color-schemes" content="light dark">
  <title>${title}</title>
  <style>
    :root { color-scheme: light dark; supported-color-schemes: light dark; }
    @media (prefers-color-scheme: dark) {
      .page { background: #101419 !important; }
      .card { background: #1b2129 !important; }
      .text { color: #e8ebef !important; }
      .muted { color: #a7b0bc !important; }
      .link { color: #8ab4ff !important; }
      .line { border-color: #39424e !important; }
      .code { background: #2a323d !important; }
    }
  </style>
</head>
<body class="page" style="margin:0;padding:0;background:#f2f4f7">
  <table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f2f4f7">
    <tr>
      <td align="center" style="padding:24px 12px">
        <table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;background:#ffffff;border-radius:8px">
          <tr>
            <td class="text" style="padding:32px;${TEXT}">
${indent(content, 14)}
            </td>
          </tr>
        </table>
        <p class="muted" style="margin:16px 0 0;font:13px/1.5 Arial,Helvetica,sans-serif;color:#5b6675">{{ company }}</p>
      </td>
    </tr>
  </table>
</body>
</html>
`;
}

export function heading(text: string): string {
  return `<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${text}</h1>`;
}

export function paragraph(text: string): string {
  return `<p style="margin:0 0 16px">${text}</p>`;
}

export function small(text: string): string {
  return `<p class="muted" style="margin:0;font-size:14px;color:#5b6675">${text}</p>`;
}

/** A large code that users copy or type. */
export function code(text: string): string {
  return `<p class="code" style="margin:0 0 16px;padding:16px;border-radius:6px;background:#f2f4f7;font:bold 28px/1.2 Consolas,Menlo,monospace;letter-spacing:6px;text-align:center">${text}</p>`;
}

/** A button, with its URL below for mail apps in which the button cannot be clicked. */
export function button(label: string, url: string): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px">
  <tr>
    <td style="border-radius:6px;background:#1d5bd6">
      <a href="${url}" style="display:inline-block;padding:12px 20px;font:bold ${FONT};color:#ffffff;text-decoration:none">${label}</a>
    </td>
  </tr>
</table>
<p class="muted" style="margin:0 0 16px;font-size:14px;color:#5b6675">Or open this link: <a class="link" href="${url}" style="color:#1d5bd6;word-break:break-all">${url}</a></p>`;
}

/** A table of a name and an amount for each item of `items`, and the total. Outlook's cells do not inherit a font. */
export function amounts(total: string): string {
  const cell = (align: string, style: string) =>
    `<td class="line text" align="${align}" style="padding:8px 0;border-top:1px solid #dfe3e8;${TEXT}${style}">`;
  return `<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px">
  {% for item in items %}
  <tr>
    ${cell('left', '')}{{ item.name }}</td>
    ${cell('right', ';white-space:nowrap')}{{ item.amount }}</td>
  </tr>
  {% endfor %}
  <tr>
    ${cell('left', ';font-weight:bold')}${total}</td>
    ${cell('right', ';font-weight:bold;white-space:nowrap')}{{ total }}</td>
  </tr>
</table>`;
}

function indent(text: string, spaces: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces));
}
