/** HTML that is small to send and expensive to render: a browser would hang, or crash the whole page. */
const ITEMS = '<i>x</i>'.repeat(20_000);

function sheet(rules: number, rule: (n: number) => string): string {
  return `<style>${Array.from({ length: rules }, (_, n) => rule(n)).join('')}</style>`;
}

/** Many small overlapping boxes that are all drawn. */
function painted(style: string): string {
  return `<style>i{display:inline-block;width:90px;height:60px;margin:0 -89px -59px 0;background:#0f01;${style}}</style>${ITEMS}`;
}

export const HEAVY_HTML: readonly (readonly [name: string, html: string])[] = [
  [':has() selectors', `${sheet(3_000, (n) => `p:has(b${n}) i:has(~i u){color:red}`)}<p>${ITEMS}`],
  [
    ':nth-child selectors with a condition',
    `${sheet(5_000, (n) => `i:nth-child(${n}n+1 of i:not(p *)){color:red}`)}${ITEMS}`,
  ],
  ['nested rules', `${sheet(20_000, () => '@media(min-width:1px){i{color:red}}')}${ITEMS}`],
  [
    'long generated text for many elements',
    `<style>:root{--x:"${'x'.repeat(90)}"}i::before{content:"${'x'.repeat(20_000)}"}i::after{content:${'var(--x)'.repeat(90)}}i{counter-increment:${'a 1 '.repeat(2_000)}}i::after{content:${'counters(a,".")'.repeat(2_000)}}</style>${ITEMS}`,
  ],
  [
    'as many columns as letters',
    `<div style="columns:100000;column-gap:0;height:10px">${'x '.repeat(100_000)}</div>`,
  ],
  [
    'cells that span many rows',
    `<table>${`<tr>${'<td rowspan=65534 colspan=1000>x'.repeat(20)}</tr>`.repeat(1_000)}</table>`,
  ],
  ['numbered list items', '<li value=3>x'.repeat(20_000)],
  ['long sibling selectors', `${sheet(3_000, () => `${'i+'.repeat(50)}i{color:red}`)}${ITEMS}`],
  ['blurred backgrounds', painted('filter:blur(50px);backdrop-filter:blur(50px);will-change:transform')],
  [
    'backgrounds with their own layers',
    painted('mix-blend-mode:difference;transform:rotate3d(1,1,1,9deg);perspective:9px'),
  ],
  [
    'masks and clip paths',
    painted(`-webkit-mask:linear-gradient(red,#0000);clip-path:polygon(${'0 0,9px 9px,'.repeat(900)}0 0)`),
  ],
  ['nested reflections', '<div style="-webkit-box-reflect:below">'.repeat(140)],
  [
    'thousands of shadows',
    painted(
      `text-shadow:${'0 0 90px red,'.repeat(900)}0 0 red;box-shadow:${'0 0 900px red,'.repeat(900)}0 0 red`,
    ),
  ],
  ['very wide shadows', painted('box-shadow:0 0 9999px red,0 0 calc(999px) red')],
  [
    'repeating gradients',
    painted(`background:${'repeating-radial-gradient(red,blue 1px),'.repeat(900)}red;border:9px double`),
  ],
  [
    'variables that multiply each other',
    `<style>:root{${Array.from({ length: 15 }, (_, n) => `--a${n + 1}:${`var(--a${n}),`.repeat(9)}red;`).join('')}--a0:red}i{background:linear-gradient(var(--a15))}</style>${ITEMS}`,
  ],
  [
    'a grid with millions of cells',
    `<div style="display:grid;grid-template-columns:repeat(999999,1fr);grid-auto-flow:dense">${'<i style="grid-row:999999;grid-column:span 9999">x</i>'.repeat(2_000)}</div>`,
  ],
  ['nested inline blocks', '<span style="display:inline-block">'.repeat(380)],
  ['nested inline tables', '<span style="display:inline-table">'.repeat(380)],
];
