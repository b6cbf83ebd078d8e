/** HTML that is small to send and heavy to show: a browser would stand still over it, or end the page with all that is around it. */
const ITEMS = '<i>x</i>'.repeat(20_000);

function sheet(rules: number, rule: (n: number) => string): string {
  return `<style>${Array.from({ length: rules }, (_, n) => rule(n)).join('')}</style>`;
}

export const HEAVY_HTML: readonly (readonly [name: string, html: string])[] = [
  ['selectors that look ahead', `${sheet(3_000, (n) => `p:has(b${n}) i:has(~i u){color:red}`)}<p>${ITEMS}`],
  [
    'selectors that count some',
    `${sheet(5_000, (n) => `i:nth-child(${n}n+1 of i:not(p *)){color:red}`)}${ITEMS}`,
  ],
  ['rules in rules', `${sheet(20_000, () => '@media(min-width:1px){i{color:red}}')}${ITEMS}`],
  [
    'texts before each of many elements',
    `<style>:root{--x:"${'x'.repeat(90)}"}i::before{content:"${'x'.repeat(20_000)}"}i::after{content:${'var(--x)'.repeat(90)}}i{counter-increment:${'a 1 '.repeat(2_000)}}i::after{content:${'counters(a,".")'.repeat(2_000)}}</style>${ITEMS}`,
  ],
  [
    'as many columns as letters',
    `<div style="columns:100000;column-gap:0;height:10px">${'x '.repeat(100_000)}</div>`,
  ],
  [
    'cells over many rows',
    `<table>${`<tr>${'<td rowspan=65534 colspan=1000>x'.repeat(20)}</tr>`.repeat(1_000)}</table>`,
  ],
  ['items that say their number', '<li value=3>x'.repeat(20_000)],
  ['selectors of many neighbours', `${sheet(3_000, () => `${'i+'.repeat(50)}i{color:red}`)}${ITEMS}`],
  ['boxes in boxes', '<span style="display:inline-block">'.repeat(380)],
  ['tables in boxes', '<span style="display:inline-table">'.repeat(380)],
];
