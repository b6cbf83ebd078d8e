/** HTML that two parsers may read differently: one parser sees text where the other sees an element. See `hostile-html.fixture.ts`. */
const LEVELS = 300;

export const HOSTILE_PARSING: readonly (readonly [name: string, html: string])[] = [
  [
    'an HTML annotation in MathML',
    '<math><annotation-xml encoding="text/html"><style><!--</style><img src=EVIL/1 onerror=location="EVIL/2"></annotation-xml><annotation-xml encoding="application/xhtml+xml"><script>location="EVIL/3"</script></annotation-xml></math><p>Readable',
  ],
  [
    'an annotation in SVG',
    '<p>Readable</p><svg><annotation-xml><foreignObject><style><!--</style><p id="--><img src=EVIL/1 onerror=location=\'EVIL/2\'>"></foreignObject></annotation-xml></svg><p>x',
  ],
  [
    'an option that closes MathML',
    '<p>Readable</p><math><mtext><option><FAKE><option></option><mglyph><svg><mtext><textarea><a title="</textarea><img src=EVIL/1 onerror=location=\'EVIL/2\'>">x',
  ],
  [
    'foreign elements that do not close each other',
    '<p>Readable</p><math><mi><mglyph><svg><mtext><style><a title="</style><img src=EVIL/1 onerror=location=1>"></style></mtext></svg></mglyph></mi></math><svg><desc><math><ms><table><tr><td><style><img src=EVIL/2 onerror=1></style></svg><p>x',
  ],
  [
    'foreign elements that HTML closes',
    '<svg><p><style><g title="</style><img src=EVIL/1 onerror=location=1>"></svg><math><font color=red><img src=EVIL/2></math><svg><font face=x><script>location="EVIL/3"</script></svg><svg><br><title><style></title><img src=EVIL/4></svg><p>Readable',
  ],
  [
    'CDATA sections',
    '<svg><![CDATA[><img src=EVIL/1 onerror=location=1>]]></svg><![CDATA[<img src=EVIL/2 onerror=location=2>]]><math><![CDATA[</math><img src=EVIL/3>]]></math><svg><desc><![CDATA[</desc><script>location="EVIL/4"</script>]]></svg><p>Readable',
  ],
  [
    'processing instructions and declarations',
    '<?xml version="1.0"?><?xml-stylesheet href="EVIL/1" type="text/xsl"?><?import namespace=t implementation="EVIL/2"><!DOCTYPE html [<!ENTITY x SYSTEM "EVIL/3"><!ENTITY y "<script>1</script>">]><!ELEMENT img><img src=EVIL/4 onerror=1>&x;&y;<p>Readable',
  ],
  [
    'comments that end elsewhere in browsers',
    '<!-- --!><img src=EVIL/1 onerror=location=1><!-- -- ><p>x--><!--><!--->a<!-- <!-- --><img src=EVIL/2> --><!-x><img src=EVIL/3></!x><! --><img src=EVIL/4 onerror=1>--><p>Readable',
  ],
  [
    'end tags with attributes, and end tags that close nothing',
    '</p onclick=location="EVIL/1"></script x><style></style/><img src=EVIL/2></style foo="</style><img src=EVIL/3 onerror=1>"><textarea></textarea\f><script>location="EVIL/4"</script><p>Readable',
  ],
  [
    'raw text elements inside each other',
    '<noscript><style></noscript><img src=EVIL/1 onerror=1></style></noscript><noembed><noframes><style></noembed><img src=EVIL/2 onerror=1></style><iframe><!-- </iframe><img src=EVIL/3 onerror=1> --></iframe><xmp><style></xmp><img src=EVIL/4></style><listing>&lt;img src=EVIL/5 onerror=1&gt;</listing><p>Readable',
  ],
  [
    'a doubly escaped script',
    '<script><!--<script></script><img src=EVIL/1 onerror=location=1>--></script><script><!-- x --></script><p>Readable',
  ],
  [
    'select elements with other elements inside',
    '<select><iframe><select><img src=EVIL/1 onerror=1></select></iframe><option><style></option></select><img src=EVIL/2 onerror=1></style></select><select><template><style><!--</select><a rel="--></style></template></select><img src=EVIL/3 onerror=location=1>">x</a><p>Readable',
  ],
  [
    'tables that move foreign content out',
    '<table><caption><svg><title><table><caption></table><style><a title="</style><img src=EVIL/1 onerror=1>"></table><table><tr><form><td><input name=x onfocus=location=1 autofocus></form></table><table>Readable<script>location="EVIL/2"</script><style>@import "EVIL/3"</style><colgroup><img src=EVIL/4 onerror=1></table>',
  ],
  [
    'formatting elements that are reopened repeatedly',
    '<b><b><b><b><a href="javascript:1"><p><a onclick=location="EVIL/1"><table><a href="EVIL/2" ping="EVIL/3"><nobr><nobr></b></a></p></table>Readable',
  ],
  [
    'a misnested form inside a form',
    '<form id=a><div></form><form id=b action="EVIL/1"><input type=submit formaction="EVIL/2"></div><button form=a formaction=javascript:location="EVIL/3">x</button></form><p>Readable',
  ],
  [
    'a declarative shadow tree',
    '<div><template shadowrootmode=open shadowrootserializable><img src=EVIL/1 onerror=location=1><slot></slot></template><p>Readable</div><template shadowrootmode=closed><meta http-equiv=refresh content="0;EVIL/2"></template><template><template></template><img src=EVIL/3 onerror=1></template>',
  ],
  [
    'nested character references',
    '<p>&amp;lt;img src=EVIL/1 onerror=location=1&amp;gt; &ltimg src=EVIL/2 onerror=1&gt; &#60;script>1&#60;/script> &#x3c;img src=EVIL/3&#x3e; &#0000000000000000060;b &#x110000; &#xd800; &#0; &lt\0script&gt; Readable</p><p title="&amp;quot;onclick=1">x</p>',
  ],
  [
    'repeated and malformed attributes',
    '<img src=x src=EVIL/1 SRC=EVIL/2 onerror =1 OnError=location=1 / onerror=2/x><img """><script>location="EVIL/3"</script>"><img \'onerror=location=1 src=EVIL/4><img src=`x`onerror=location=1><p =onclick=1 onclick\u00a0=1 \u2028onclick=location=1 x\x0bonclick=1 <onclick=1>Readable',
  ],
  [
    'unusual characters in names',
    '<img\x0csrc=EVIL/1\x0conerror=location=1><svg/onload=location="EVIL/2"><ımg src=EVIL/3><ſcript>location="EVIL/4"</ſcript><ſtyle>@import"EVIL/5"</ſtyle><p:script>1</p:script><html:script>location="EVIL/6"</html:script><svg:image href=EVIL/7 /><x xmlns="http://www.w3.org/1999/xhtml"><script>1</script></x><p>Readable',
  ],
  [
    'elements nested too deeply',
    `${'<div>'.repeat(LEVELS)}<svg><style><a title="</style><img src=EVIL/1 onerror=location=1>"></svg><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=EVIL/2 onerror=1&gt;"></table></math>${'</div>'.repeat(LEVELS)}<p>Readable`,
  ],
  [
    'frames instead of a body',
    '<p>Readable</p><html><head></head><frameset onload=location="EVIL/1" cols="*,*"><frame src="EVIL/2"><frame src="javascript:1"><noframes><body><p>x</noframes></frameset></html><p>x',
  ],
  [
    'a document inside the document',
    '<p>Readable</p></body></html><!doctype html><html onclick=location="EVIL/1"><head><base href=EVIL><meta http-equiv=refresh content=0;EVIL/2></head><body onload=location="EVIL/3" background=EVIL/4><script>location="EVIL/5"</script>',
  ],
  [
    'upcoming elements',
    '<portal src=EVIL/1></portal><fencedframe config=EVIL/2></fencedframe><selectlist><option>x</selectlist><model src=EVIL/3></model><permission type=geolocation></permission><geolocation autolocate></geolocation><usermedia type=camera></usermedia><install></install><controlledframe src=EVIL/4></controlledframe><webview src=EVIL/5 nodeintegration></webview><embed type="text/html" code=EVIL/6><p>Readable',
  ],
  [
    'commands and focus without a script',
    '<button commandfor=d command=show-modal>x</button><dialog id=d open closedby=any onclose=1>x</dialog><p popover=manual id=p>x</p><a href="#p" interestfor=p popovertarget=p accesskey=a autofocus tabindex=1 onfocus=location="EVIL/1">Readable</a><details name=x open ontoggle=location="EVIL/2"><summary onclick=1>x</summary></details><input type=hidden oncontentvisibilityautostatechange=1 style=content-visibility:auto><div contenteditable oninput=1 inert hidden=until-found onbeforematch=1>x</div>',
  ],
  [
    'rarely used event handlers',
    `<p ${'onpointerrawupdate onscrollsnapchange onsecuritypolicyviolation onformdata onslotchange onwebkitanimationend onwebkittransitionend ontransitionrun onbeforexrselect ongotpointercapture onfreeze onpagereveal onpageswap onbeforecopy onsearch onshow onstorage onunhandledrejection oncommand'
      .split(' ')
      .map((name) => `${name}=location="EVIL/${name}"`)
      .join(' ')} style="animation:x 1s;transition:all 1s">Readable</p>`,
  ],
  [
    'elements that move when they are parsed again',
    '<p>Readable</p><form><div></form><form></div><svg><style><!--</style><desc><b id="--><img src=EVIL/1 onerror=location=1>"></svg><math><annotation-xml encoding="tEXT/html"><p><table><mglyph><style></math><img src=EVIL/2 onerror=1></style></table></math><ruby><rtc><svg><rp><style><a title="</style><img src=EVIL/3 onerror=1>"></svg></ruby>',
  ],
  [
    'every kind of shadow tree',
    '<section><template shadowroot=open><img src=EVIL/1></template><template shadowrootmode=open shadowrootclonable shadowrootdelegatesfocus shadowrootcustomelementregistry><link rel=stylesheet href=EVIL/2><style>:host{position:fixed}@import "EVIL/3"</style><base href=EVIL><form action=EVIL/4><slot></slot></form></template><p>Readable</p></section><svg><template shadowrootmode=open><img src=EVIL/5></template></svg>',
  ],
];
