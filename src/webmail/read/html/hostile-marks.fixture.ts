/**
 * Messages that try to cover, hide, cut off or move the warning (the mark) after `LIE`, a misleading link. The link stays visible in each
 * message.
 */
const LIE = '<a href="https://evil.example/">https://bank.com/login</a>';
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A box that is drawn over the previous line if its style takes effect. */
const cover = (style: string) =>
  `<p style="margin:0">${LIE}</p><div style="background:#fff;width:600px;height:60px;${style}">Readable</div>`;
const styled = (style: string, html: string) => `<style>${style}</style>${html}`;

/** Another misleading link, whose warning names a host that readers trust. */
const GOOD = '<a href="https://bank.com/">https://other.com</a>';

/** The link at the right end of a box whose other content, such as the mark, may be at the left end. */
const LIE_AT_RIGHT = LIE.replace('<a', '<a style="display:block;text-align:right"');
/** The link at the left end of a box whose other content may be at the right end. */
const LIE_AT_LEFT = LIE.replace('<a', '<a style="display:block;text-align:left"');
/** A box that many small paddings make wide. */
const WIDE = `${'<b style="padding-right:60px">'.repeat(30)}x${'</b>'.repeat(30)}`;

export const MARK_COVERS: readonly (readonly [name: string, html: string])[] = [
  ['a box with position: relative', cover('position:relative;z-index:2147483647;top:-30px;margin-top:-30px')],
  ['a box with position: absolute', cover('position:absolute;z-index:2147483647;top:0;left:0')],
  ['a box with position: fixed', cover('position:fixed;z-index:2147483647;top:0;left:0')],
  ['a box with a negative margin', cover('margin-top:-40px')],
  ['a box with a calculated margin', cover('margin-top:calc(0px - 40px)')],
  ['a transformed box', cover('transform:translateY(-40px)')],
  ['a translated box', cover('translate:0 -40px')],
  ['a stacking context', cover('opacity:.999;position:relative;top:-40px;z-index:2147483647')],
  ['a float', cover('float:left;margin-top:-40px')],
  [
    'an image',
    cover('margin-top:-40px').replace('Readable', `<img src="${PIXEL}" width=600 height=60>Readable`),
  ],
  [
    'overlapping cells of a grid',
    `<div style="display:grid"><p style="grid-area:1/1;margin:0">${LIE}</p><p style="grid-area:1/1;margin:0;background:#fff;z-index:2147483647">Readable</p></div>`,
  ],
  [
    'overlapping items of a flexbox',
    `<div style="display:flex;width:0"><p style="margin:0;flex:0 0 0">${LIE}</p><p style="margin:0;background:#fff;z-index:2147483647;flex:0 0 400px">Readable</p></div>`,
  ],
  [
    'lines of zero height',
    `<div style="line-height:0">${LIE}<br><b style="font-size:90px;background:#fff">█████████</b></div>`,
  ],
  ['a box of zero height', `<div style="height:0">${LIE}</div><div style="font-size:60px">██████████</div>`],
  ['letters of zero size', `<div style="font-size:0;line-height:0">${LIE}</div>`],
  [
    'text in the color of its background',
    styled('*{color:#b42318!important;background:#b42318!important}', LIE),
  ],
  ['a transparent element', `<div style="opacity:0.01">${LIE}</div>`],
  ['a filter', `<div style="filter:opacity(0)">${LIE}</div>`],
  ['a blend mode', styled('span,div{mix-blend-mode:lighten!important}', `<div>${LIE}</div>`)],
  [
    'a box that clips its overflow',
    `<div style="overflow:hidden;width:150px;white-space:nowrap">${LIE}</div>`,
  ],
  ['a box that clips its second line', `<div style="overflow:hidden;width:170px;height:20px">${LIE}</div>`],
  [
    'a clip path',
    `<div style="clip-path:inset(0 80% 0 0);clip:rect(0,150px,30px,0);position:absolute">${LIE}</div>`,
  ],
  [
    'content that is not rendered',
    styled('a+span{content-visibility:hidden;display:none;visibility:hidden}', LIE),
  ],
  [
    'a style for the mark itself',
    styled('span{display:none!important;font-size:0!important;width:0!important}', LIE),
  ],
  [
    'a box before the next element',
    styled(
      'p::before{content:"";display:block;height:60px;background:#fff;margin-top:-40px;position:relative}',
      `${LIE}<p>Readable</p>`,
    ),
  ],
  [
    'a box after the link',
    styled(
      'a::after{content:"xxxxxxxxxxxxxxxxxx";background:#fff;color:#fff;margin-right:-200px;position:relative;z-index:9}',
      LIE,
    ),
  ],
  ['a thick line through the text', `<div style="text-decoration:line-through #fff 40px">${LIE}</div>`],
  ['stacked combining characters', `${LIE}<br>${`x${'\u0321\u0325\u0351\u0300'.repeat(60)}`.repeat(60)}`],
  ['a shadow', `${LIE}<p style="box-shadow:0 -40px 0 20px #fff">Readable</p>`],
  ['an outline', `${LIE}<p style="outline:60px solid #fff;border-top:1px solid">Readable</p>`],
  [
    'text that starts outside the page',
    `<div dir=rtl style="margin-left:-330px;text-align:left">${LIE}</div>`,
  ],
  ['a negative indent', `<div dir=rtl style="text-indent:-300px;width:200px">${LIE}</div>`],
  ['a page that is zoomed out', styled('span{zoom:.01!important}body{zoom:.1}', LIE)],
  ['the mark of another link', `<div style="height:0">${LIE}</div><div>${GOOD}</div>`],
  [
    'the mark of another link beside it',
    `<table style="table-layout:fixed;width:1px"><tr><td><div style="width:0">${LIE}</div></td><td>${GOOD}</td></tr></table>`,
  ],
  [
    'the mark of another link in a float',
    `<div style="float:left;width:0">${LIE}</div><div style="float:left;width:0">${GOOD}</div>`,
  ],
  [
    'a link inside the link',
    '<a href="https://evil.example/">https://bank.com/login<table><tr><td><a href="https://bank.com/">Readable</a></td></tr></table></a>',
  ],
  [
    'an anchor with only a name inside the link',
    '<a href="https://evil.example/">https://bank.com/login<table><tr><td><a name="x">Readable</a></td></tr></table></a>',
  ],
  [
    'a wide box in right-to-left text',
    `<div dir=rtl><div align=left style="min-width:5000px">${LIE_AT_RIGHT}</div></div>`,
  ],
  [
    'unwrapped lines in right-to-left text',
    `<pre dir=rtl>${LIE.replace('<a', '<a style="padding-left:5000px"')}</pre>`,
  ],
  [
    'unwrapped lines whose letters make them right-to-left',
    `<bdi style="display:block">\u05d0<pre>${'x'.repeat(300)}${LIE}</pre></bdi>`,
  ],
  [
    'a cell without wrapping',
    `<table><tr><td nowrap>${LIE.replace('<a', '<a style="padding-right:5000px"')}</table>`,
  ],
  ['lines without wrapping', `<pre>${LIE.replace('</a', `${' '.repeat(2000)}</a`)}</pre>`],
  ['a wide table', `<table width=5000><tr><td>${LIE.replace('</a', `${'&nbsp;'.repeat(1000)}</a`)}</table>`],
  [
    'a table that its cells make wide',
    `<table cellpadding=2000><tr><td>x<td>x<tr><td colspan=2>${LIE.replace('</a', `${'&nbsp;'.repeat(1000)}</a`)}</table>`,
  ],
  [
    'a wide box on the right',
    `<div style="margin-right:400px"><div style="float:right;text-align:left">${LIE_AT_RIGHT}${WIDE}</div></div>`,
  ],
  [
    'a wide table on the right',
    `<div style="margin-right:400px"><table align=right><tr><td>${LIE_AT_RIGHT}${WIDE}</table></div>`,
  ],
  [
    'a wide box aligned to the right',
    `<div align=right><table><tr><td align=left>${LIE_AT_RIGHT}${WIDE}</table></div>`,
  ],
  [
    'a wide box that a style aligns to the right',
    `<div style="text-align:-webkit-right"><table><tr><td style="text-align:left">${LIE_AT_RIGHT}${WIDE}</table></div>`,
  ],
  [
    'a wide box in a right-to-left document',
    `<html dir=rtl><div style="text-align:-webkit-left"><div style="min-width:5000px;text-align:left">${LIE_AT_RIGHT}</div></div>`,
  ],
  [
    'the mark of another link in a cell above it',
    `<table><tr><td>x<td rowspan=2 valign=bottom>${LIE}</tr><tr><td colspan=2 align=right>${GOOD}</tr></table>`,
  ],
  [
    'an annotation without wrapping',
    `<ruby>x<rt>${LIE.replace('</a', `${'&nbsp;'.repeat(1000)}</a`)}</rt></ruby>`,
  ],
  [
    'a link that nested paddings make wider than the frame',
    `<table><tr><td>${LIE.replace('</a', `${WIDE}</a`)}</table>`,
  ],
  [
    'a cell that nested paddings make wider than the frame',
    `<table><tr><td style="text-align:right">${LIE_AT_LEFT}${WIDE}</table>`,
  ],
  [
    'a wide cell aligned to the right',
    `<table><tr><td align=right>${LIE_AT_LEFT}<div align=right>${LIE_AT_LEFT}</div>${WIDE}</table>`,
  ],
  [
    'nested paddings in a right-to-left document',
    `<html dir=rtl><table><tr><td>${LIE.replace('</a', `${WIDE.replaceAll('right', 'left')}</a`)}</table>`,
  ],
  [
    'a wide link displayed as a cell',
    `<div style="display:table"><div style="display:table-row">${LIE.replace('<a', '<a style="display:table-cell"').replace('</a', `${WIDE}</a`)}</div></div>`,
  ],
];
