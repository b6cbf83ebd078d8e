/** Messages whose script runs in a browser without protection. A script sets `ran`. Each contains the word Readable. */
export const SCRIPTS: readonly (readonly [name: string, html: string])[] = [
  ['an inline script', '<p>Readable</p><script>ran=1</script>'],
  ['a module', '<p>Readable</p><script type=module>ran=1</script>'],
  ['a script from a data URL', '<p>Readable</p><script src="data:text/javascript,ran=1"></script>'],
  ['a broken image', '<p>Readable</p><img src=x: onerror=ran=1>'],
  [
    'an image that loads',
    '<p>Readable</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" onload=ran=1 onerror=ran=1>',
  ],
  ['the load of the body', '<body onload=ran=1><p>Readable</p>'],
  ['an element with the focus', '<p>Readable</p><input autofocus onfocus=ran=1>'],
  ['a details element that opens', '<details open ontoggle=ran=1><summary>Readable</summary></details>'],
  ['SVG that loads', '<p>Readable</p><svg onload=ran=1></svg>'],
  ['a script in SVG', '<p>Readable</p><svg><script>ran=1</script></svg>'],
  ['an animation of SVG', '<p>Readable</p><svg><animate onbegin=ran=1 attributeName=x dur=1s></svg>'],
  [
    'a style animation',
    '<style>@keyframes k{}p{animation:k 1s}</style><p onanimationstart=ran=1>Readable</p>',
  ],
  ['a frame with its own document', '<p>Readable</p><iframe srcdoc="<script>ran=1</script>"></iframe>'],
  ['a frame with a script URL', '<p>Readable</p><iframe src="javascript:parent.ran=1"></iframe>'],
  ['a button', '<p>Readable</p><button onclick=ran=1>x</button>'],
  ['a link with a script URL', '<p>Readable</p><a href="javascript:ran=1">x</a>'],
  [
    'a script in a template',
    '<p>Readable</p><div><template shadowrootmode=open><img src=x: onerror=ran=1></template></div>',
  ],
  ['a video', '<p>Readable</p><video><source src=x: onerror=ran=1></video>'],
];
