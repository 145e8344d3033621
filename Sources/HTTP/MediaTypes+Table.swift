extension MediaTypes {
    /// `type extension extension; …`, from Debian's media-types, nginx and what browsers ask for.
    static let table: StaticString = """
        application/a2l a2l; application/aml aml; application/andrew-inset ez; application/annodex anx
        application/atf atf; application/atfx atfx; application/atom+xml atom; application/atomcat+xml atomcat
        application/atomdeleted+xml atomdeleted; application/atomserv+xml atomsrv; application/atomsvc+xml atomsvc
        application/atsc-dwd+xml dwd; application/atsc-held+xml held; application/atsc-rsat+xml rsat
        application/atxml atxml; application/auth-policy+xml apxml; application/automationml-amlx+zip amlx
        application/bacnet-xdd+zip xdd; application/bbolin lin; application/calendar+xml xcs; application/cbor cbor
        application/cccex c3ex; application/ccmp+xml ccmp; application/ccxml+xml ccxml; application/cdfx+xml cdfx
        application/cdmi-capability cdmia; application/cdmi-container cdmic; application/cdmi-domain cdmid
        application/cdmi-object cdmio; application/cdmi-queue cdmiq; application/cea cea
        application/cellml+xml cellml cml; application/clr 1clr; application/clue_info+xml clue; application/cms cmsc
        application/cpl+xml cpl; application/csrattrs csrattrs; application/cu-seeme cu; application/cwl cwl
        application/dash+xml mpd; application/dashdelta mpdd; application/davmount+xml davmount; application/dcd dcd
        application/dicom dcm; application/dii dii; application/dit dit; application/dskpp+xml xmls
        application/dsptype tsp; application/dssc+der dssc; application/dssc+xml xdssc; application/dvcs dvc
        application/efi efi; application/emma+xml emma; application/emotionml+xml emotionml; application/epub+zip epub
        application/exi exi; application/express exp; application/fastinfoset finf; application/fdf fdf
        application/fdt+xml fdt; application/font-tdpfr pfr; application/futuresplash spl
        application/geo+json geojson; application/geopackage+sqlite3 gpkg; application/gltf-buffer glbin glbuf
        application/gml+xml gml; application/graphql gql graphql; application/gzip gz tgz; application/hta hta
        application/hyperstudio stk; application/inkml+xml ink inkml; application/ipfix ipfix; application/its+xml its
        application/java-archive ear jar war; application/java-serialized-object ser; application/java-vm class
        application/jrd+json jrd; application/json har json map topojson; application/json-patch+json json-patch
        application/json5 json5; application/jsonl jsonl ndjson; application/ld+json jsonld; application/lgr+xml lgr
        application/link-format wlnk; application/lost+xml lostxml; application/lostsync+xml lostsyncxml
        application/lpf+zip lpf; application/lxf lxf; application/m3g m3g; application/mac-binhex40 hqx
        application/mac-compactpro cpt; application/mads+xml mads; application/manifest+json webmanifest
        application/marc mrc; application/marcxml+xml mrcx; application/mathematica ma mb; application/mathml+xml mml
        application/mbox mbox; application/metalink4+xml meta4; application/mets+xml mets; application/mf4 mf4
        application/mmt-aei+xml maei; application/mmt-usd+xml musd; application/mods+xml mods
        application/mp21 m21 mp21; application/msaccess mdb; application/msword doc; application/mxf mxf
        application/n-quads nq; application/n-triples nt; application/ocsp-request orq; application/ocsp-response ors
        application/octet-stream a bcmap bin dat data deb deploy dll dmg dylib exe img ipa iso msi msp msu o pak pkg
        application/octet-stream so unityweb; application/oda oda; application/odx odx
        application/oebps-package+xml opf; application/ogg ogx; application/onenote one onepkg onetmp onetoc2
        application/oxps oxps; application/p21 210 ifc p21 stpnc; application/p2p-overlay+xml relo
        application/pdf pdf; application/pdx pdx; application/pgp-encrypted pgp; application/pgp-keys asc key
        application/pgp-signature sig; application/pics-rules prf; application/pkcs10 p10; application/pkcs12 p12 pfx
        application/pkcs7-mime p7c p7m p7z; application/pkcs7-signature p7s; application/pkcs8 p8
        application/pkcs8-encrypted p8e; application/pkix-attr-cert ac; application/pkix-crl crl
        application/pkix-pkipath pkipath; application/pkixcmp pki
        application/postscript ai eps eps2 eps3 epsf epsi ps; application/protobuf pb
        application/provenance+xml provx; application/pskc+xml pskcxml; application/rdf+xml rdf
        application/reginfo+xml rif; application/relax-ng-compact-syntax rnc; application/resource-lists+xml rl
        application/resource-lists-diff+xml rld; application/rfc+xml rfcxml; application/route-apd+xml rapd
        application/route-s-tsid+xml sls; application/route-usd+xml rusd; application/rpki-ghostbusters gbr
        application/rpki-manifest mft; application/rpki-roa roa; application/rss+xml rss; application/rtf rtf
        application/sarif+json sarif; application/scim+json scim; application/scvp-cv-request scq
        application/scvp-cv-response scs; application/scvp-vp-request spq; application/scvp-vp-response spp
        application/sdp sdp; application/senml+cbor senmlc; application/senml+json senml; application/senml+xml senmlx
        application/senml-etch+cbor senml-etchc; application/senml-etch+json senml-etchj; application/senml-exi senmle
        application/sensml+cbor sensmlc; application/sensml+json sensml; application/sensml+xml sensmlx
        application/sensml-exi sensmle; application/sgml-open-catalog soc; application/shf+xml shf
        application/sieve sieve siv; application/simple-filter+xml cl; application/smil+xml smi smil sml
        application/sparql-query rq; application/sparql-results+xml srx; application/srgs gram
        application/srgs+xml grxml; application/sru+xml sru; application/ssml+xml ssml; application/stix+json stix
        application/swid+cbor coswid; application/swid+xml swidtag; application/tamp-apex-update tau
        application/tamp-apex-update-confirm auc; application/tamp-community-update tcu
        application/tamp-community-update-confirm cuc; application/tamp-error ter
        application/tamp-sequence-adjust tsa; application/tamp-sequence-adjust-confirm sac
        application/tamp-update tur; application/tamp-update-confirm tuc; application/td+json jsontd
        application/tei+xml odd tei teicorpus; application/thraud+xml tfi; application/timestamp-query tsq
        application/timestamp-reply tsr; application/timestamped-data tsd; application/tm+json jsontm
        application/toml toml; application/trig trig; application/ttml+xml ttml; application/urc-grpsheet+xml gsheet
        application/urc-ressheet+xml rsheet; application/urc-targetdesc+xml td; application/urc-uisocketdesc+xml uis
        application/vnd.3gpp.pic-bw-large plb; application/vnd.3gpp.pic-bw-small psb
        application/vnd.3gpp.pic-bw-var pvb; application/vnd.adobe.flash.movie swf
        application/vnd.adobe.formscentral.fcdt fcdt; application/vnd.adobe.fxp fxp fxpl
        application/vnd.adobe.xdp+xml xdp; application/vnd.amazon.mobi8-ebook azw3; application/vnd.android.ota ota
        application/vnd.android.package-archive apk; application/vnd.apple.installer+xml dist distz mpkg
        application/vnd.apple.keynote keynote; application/vnd.apple.mpegurl m3u8
        application/vnd.apple.numbers numbers; application/vnd.apple.pages pages; application/vnd.apple.pkpass pkpass
        application/vnd.balsamiq.bmml+xml bmml; application/vnd.balsamiq.bmpr bmpr; application/vnd.comicbook+zip cbz
        application/vnd.comicbook-rar cbr; application/vnd.debian.binary-package ddeb udeb
        application/vnd.etsi.asic-e+zip asice sce; application/vnd.etsi.asic-s+zip asics
        application/vnd.etsi.timestamp-token tst; application/vnd.geogebra.file ggb
        application/vnd.geogebra.slides ggs; application/vnd.geogebra.tool ggt
        application/vnd.geometry-explorer gex gre; application/vnd.geonext gxt; application/vnd.geoplan g2w
        application/vnd.geospace g3w; application/vnd.google-earth.kml+xml kml; application/vnd.google-earth.kmz kmz
        application/vnd.lotus-1-2-3 123 wk1 wk3 wk4; application/vnd.lotus-approach apr vew
        application/vnd.lotus-freelance pre prz; application/vnd.lotus-notes ndl ns2 ns3 ns4 nsf nsg nsh ntf
        application/vnd.lotus-organizer or2 or3 org; application/vnd.lotus-screencam scm
        application/vnd.lotus-wordpro lwp sam; application/vnd.mozilla.xul+xml xul; application/vnd.ms-3mfdocument 3mf
        application/vnd.ms-artgalry cil; application/vnd.ms-asf asf; application/vnd.ms-cab-compressed cab
        application/vnd.ms-excel xla xlc xlm xls xlt xlw; application/vnd.ms-excel.addin.macroenabled.12 xlam
        application/vnd.ms-excel.sheet.binary.macroenabled.12 xlsb
        application/vnd.ms-excel.sheet.macroenabled.12 xlsm; application/vnd.ms-excel.template.macroenabled.12 xltm
        application/vnd.ms-fontobject eot; application/vnd.ms-htmlhelp chm; application/vnd.ms-ims ims
        application/vnd.ms-lrm lrm; application/vnd.ms-officetheme thmx; application/vnd.ms-pki.seccat cat
        application/vnd.ms-powerpoint pps ppt; application/vnd.ms-powerpoint.addin.macroenabled.12 ppam
        application/vnd.ms-powerpoint.presentation.macroenabled.12 pptm
        application/vnd.ms-powerpoint.slide.macroenabled.12 sldm
        application/vnd.ms-powerpoint.slideshow.macroenabled.12 ppsm
        application/vnd.ms-powerpoint.template.macroenabled.12 potm; application/vnd.ms-project mpp mpt
        application/vnd.ms-tnef tnef tnf; application/vnd.ms-word.document.macroenabled.12 docm
        application/vnd.ms-word.template.macroenabled.12 dotm; application/vnd.ms-works wcm wdb wks wps
        application/vnd.ms-wpl wpl; application/vnd.ms-xpsdocument xps; application/vnd.oasis.opendocument.base odb
        application/vnd.oasis.opendocument.chart odc; application/vnd.oasis.opendocument.chart-template otc
        application/vnd.oasis.opendocument.formula odf; application/vnd.oasis.opendocument.graphics odg
        application/vnd.oasis.opendocument.graphics-template otg; application/vnd.oasis.opendocument.image odi
        application/vnd.oasis.opendocument.image-template oti; application/vnd.oasis.opendocument.presentation odp
        application/vnd.oasis.opendocument.presentation-template otp
        application/vnd.oasis.opendocument.spreadsheet ods
        application/vnd.oasis.opendocument.spreadsheet-template ots; application/vnd.oasis.opendocument.text odt
        application/vnd.oasis.opendocument.text-master odm; application/vnd.oasis.opendocument.text-template ott
        application/vnd.oasis.opendocument.text-web oth
        application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
        application/vnd.openxmlformats-officedocument.presentationml.slide sldx
        application/vnd.openxmlformats-officedocument.presentationml.slideshow ppsx
        application/vnd.openxmlformats-officedocument.presentationml.template potx
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
        application/vnd.openxmlformats-officedocument.spreadsheetml.template xltx
        application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
        application/vnd.openxmlformats-officedocument.wordprocessingml.template dotx; application/vnd.rar rar
        application/vnd.recordare.musicxml mxl; application/vnd.sqlite3 db sqlite sqlite3
        application/vnd.stardivision.calc sdc; application/vnd.stardivision.chart sds
        application/vnd.stardivision.draw sda; application/vnd.stardivision.impress sdd
        application/vnd.stardivision.math smf; application/vnd.stardivision.writer sdw
        application/vnd.stardivision.writer-global sgl; application/vnd.sun.xml.calc sxc
        application/vnd.sun.xml.calc.template stc; application/vnd.sun.xml.draw sxd
        application/vnd.sun.xml.draw.template std; application/vnd.sun.xml.impress sxi
        application/vnd.sun.xml.impress.template sti; application/vnd.sun.xml.math sxm
        application/vnd.sun.xml.writer sxw; application/vnd.sun.xml.writer.global sxg
        application/vnd.sun.xml.writer.template stw; application/vnd.syncml+xml xsm
        application/vnd.syncml.dm+wbxml bdm; application/vnd.syncml.dm+xml xdm; application/vnd.syncml.dmddf+xml ddf
        application/vnd.tcpdump.pcap cap dmp pcap; application/vnd.tml vfr viaframe
        application/vnd.visio vsd vss vst vsw; application/vnd.visionary vis; application/vnd.wap.sic sic
        application/vnd.wap.slc slc; application/vnd.wap.wbxml wbxml; application/vnd.wap.wmlc wmlc
        application/vnd.wap.wmlscriptc wmlsc; application/vnd.wolfram.mathematica nb
        application/vnd.wolfram.player nbp; application/vnd.wordperfect wpd; application/vnd.zul zir zirz
        application/voicexml+xml vxml; application/voucher-cms+json vcj; application/wasm wasm
        application/watcherinfo+xml wif; application/widget wgt; application/wsdl+xml wsdl
        application/wspolicy+xml wspolicy; application/x-123 wk; application/x-7z-compressed 7z
        application/x-abiword abw; application/x-apple-aspen-config mobileconfig; application/x-bcpio bcpio
        application/x-bittorrent torrent; application/x-brotli br; application/x-bzip2 bz2; application/x-cdf cda cdf
        application/x-cdlink vcd; application/x-cocoa cco; application/x-comsol mph; application/x-cpio cpio
        application/x-csh csh; application/x-director dcr dir dxr; application/x-doom wad; application/x-dvi dvi
        application/x-font gsf pfa pfb; application/x-font-pcf pcf; application/x-ganttproject gan
        application/x-gnumeric gnumeric; application/x-go-sgf sgf; application/x-graphing-calculator gcf
        application/x-gtar gtar; application/x-gtar-compressed taz; application/x-hdf hdf; application/x-hwp hwp
        application/x-ica ica; application/x-info info; application/x-internet-signup ins isp
        application/x-iphone iii; application/x-java-archive-diff jardiff; application/x-java-jnlp-file jnlp
        application/x-jmol jmz; application/x-killustrator kil; application/x-latex latex; application/x-lha lha
        application/x-lyx lyx; application/x-lzh lzh; application/x-lzx lzx
        application/x-maker book fb fbdoc fm frame frm maker; application/x-makeself run; application/x-ms-wmd wmd
        application/x-ms-wmz wmz; application/x-msdos-program com; application/x-netcdf nc
        application/x-ns-proxy-autoconfig pac; application/x-nwc nwc; application/x-oz-application oza
        application/x-pem-file pem; application/x-pilot pdb; application/x-pkcs7-certreqresp p7r
        application/x-plist plist; application/x-python-code pyc pyo; application/x-qgis qgs shp shx
        application/x-quicktimeplayer qtl; application/x-rdp rdp; application/x-redhat-package-manager rpm
        application/x-scilab sci; application/x-scilab-xcos xcos; application/x-sea sea; application/x-shar shar
        application/x-silverlight scr; application/x-stuffit sit sitx; application/x-sv4cpio sv4cpio
        application/x-sv4crc sv4crc; application/x-tar tar; application/x-tcl tcl; application/x-tex-gf gf
        application/x-tex-pk pk; application/x-texinfo texi texinfo; application/x-trash bak old sik
        application/x-troff-man man; application/x-troff-me me; application/x-troff-ms ms; application/x-ustar ustar
        application/x-wais-source src; application/x-wingz wz; application/x-x509-ca-cert cer crt der
        application/x-xfig fig; application/x-xpinstall xpi; application/x-xz xz; application/xcap-att+xml xav
        application/xcap-caps+xml xca; application/xcap-diff+xml xdf; application/xcap-el+xml xel
        application/xcap-error+xml xer; application/xcap-ns+xml xns; application/xfdf xfdf
        application/xhtml+xml xht xhtm xhtml; application/xliff+xml xlf; application/xml xml xsd xsl
        application/xml-dtd dtd mod; application/xml-external-parsed-entity ent; application/xop+xml xop
        application/xslt+xml xslt; application/xspf+xml xspf; application/xv+xml mxml xhvml xvm xvml
        application/yaml yaml yml; application/yang yang; application/yin+xml yin; application/zip zip
        application/zstd zst; audio/32kadpcm 726; audio/aac aac adts ass; audio/ac3 ac3; audio/amr amr
        audio/amr-wb awb; audio/annodex axa; audio/asc acn; audio/atrac-advanced-lossless aal; audio/atrac-x atx
        audio/atrac3 aa3 at3 omg; audio/basic au snd; audio/csound csd orc sco; audio/dls dls; audio/evrc evc
        audio/evrc-qcp qcp; audio/evrcb evb; audio/evrcnw enw; audio/evrcwb evw; audio/flac flac; audio/ilbc lbc
        audio/l16 l16; audio/mhas mhas; audio/midi kar mid midi; audio/mobile-xmf mxmf; audio/mp4 m4a m4b
        audio/mpeg mp1 mp2 mp3 mpega mpga; audio/mpegurl m3u; audio/ogg oga ogg opus spx; audio/prs.sid psid sid
        audio/smv smv; audio/sofa sofa; audio/usac loas xhe; audio/vnd.audiokoz koz; audio/vnd.dece.audio uva uvva
        audio/vnd.digital-winds eol; audio/vnd.dolby.mlp mlp; audio/vnd.dts dts; audio/vnd.dts.hd dtshd
        audio/vnd.everad.plj plj; audio/vnd.lucent.voice lvp; audio/vnd.ms-playready.media.pya pya
        audio/vnd.nortel.vbk vbk; audio/vnd.nuera.ecelp4800 ecelp4800; audio/vnd.nuera.ecelp7470 ecelp7470
        audio/vnd.nuera.ecelp9600 ecelp9600; audio/vnd.presonus.multitrack multitrack; audio/vnd.rip rip
        audio/vnd.sealedmedia.softseal.mpeg s1m smp smp3; audio/wav wav; audio/webm weba; audio/x-aiff aif aifc aiff
        audio/x-gsm gsm; audio/x-ms-wax wax; audio/x-ms-wma wma; audio/x-pn-realaudio ra ram rm; audio/x-scpls pls
        audio/x-sd2 sd2; font/collection ttc; font/otf otf; font/ttf ttf; font/woff woff; font/woff2 woff2
        image/aces exr; image/apng apng; image/avci avci; image/avcs avcs; image/avif avif hif; image/bmp bmp
        image/cgm cgm; image/dicom-rle drle; image/dpx dpx; image/emf emf; image/fits fit fits fts; image/gif gif
        image/heic heic; image/heic-sequence heics; image/heif heif; image/heif-sequence heifs; image/hej2k hej2
        image/hsj2 hsj2; image/ief ief; image/jls jls; image/jp2 jp2 jpg2; image/jpeg jfif jpe jpeg jpg; image/jph jph
        image/jphc jhc jphc; image/jpm jpgm jpm; image/jpx jpf jpx; image/jxl jxl; image/jxr jxr; image/jxra jxra
        image/jxrs jxrs; image/jxs jxs; image/jxsc jxsc; image/jxsi jxsi; image/jxss jxss; image/ktx ktx
        image/ktx2 ktx2; image/png png; image/prs.btif btf btif; image/prs.pti pti; image/svg+xml svg
        image/tiff tif tiff; image/tiff-fx tfx; image/vnd.adobe.photoshop psd; image/vnd.airzip.accelerator.azv azv
        image/vnd.dece.graphic uvg uvi uvvg uvvi; image/vnd.djvu djv djvu; image/vnd.dwg dwg; image/vnd.dxf dxf
        image/vnd.fastbidsheet fbs; image/vnd.fpx fpx; image/vnd.fst fst; image/vnd.fujixerox.edmics-mmr mmr
        image/vnd.fujixerox.edmics-rlc rlc; image/vnd.globalgraphics.pgb pgb; image/vnd.ms-modi mdi
        image/vnd.pco.b16 b16; image/vnd.radiance hdr rgbe xyze; image/vnd.sealed.png s1n spn spng
        image/vnd.sealedmedia.softseal.gif s1g sgi sgif; image/vnd.sealedmedia.softseal.jpg s1j sjp sjpg
        image/vnd.tencent.tap tap; image/vnd.valve.source.texture vtf; image/vnd.wap.wbmp wbmp; image/vnd.xiff xif
        image/vnd.zbrush.pcx pcx; image/webp webp; image/wmf wmf; image/x-canon-cr2 cr2; image/x-canon-crw crw
        image/x-cmu-raster ras; image/x-coreldraw cdr; image/x-coreldrawpattern pat; image/x-coreldrawtemplate cdt
        image/x-epson-erf erf; image/x-icon cur ico; image/x-jg art; image/x-jng jng; image/x-nikon-nef nef
        image/x-olympus-orf orf; image/x-portable-anymap pnm; image/x-portable-bitmap pbm
        image/x-portable-graymap pgm; image/x-portable-pixmap ppm; image/x-rgb rgb; image/x-xbitmap xbm
        image/x-xcf xcf; image/x-xpixmap xpm; image/x-xwindowdump xwd; model/gltf+json gltf; model/gltf-binary glb
        model/iges iges igs; model/jt jt; model/mesh mesh msh silo; model/mtl mtl; model/obj obj; model/prc prc
        model/step step stp; model/step+xml stpx; model/step+zip stpz; model/step-xml+zip stpxz; model/stl stl
        model/u3d u3d; model/vnd.cld cld; model/vnd.collada+xml dae; model/vnd.dwf dwf
        model/vnd.gdl dor gdl ism lmp msm rsm win; model/vnd.gtw gtw; model/vnd.moml+xml moml; model/vnd.opengex ogex
        model/vnd.parasolid.transmit.binary x_b xmt_bin; model/vnd.parasolid.transmit.text x_t xmt_txt
        model/vnd.pytha.pyox pyox; model/vnd.sap.vds vds; model/vnd.usda usda; model/vnd.usdz+zip usdz
        model/vnd.valve.source.compiled-map bsp; model/vnd.vtu vtu; model/vrml vrm vrml wrl
        model/x3d+fastinfoset x3db; model/x3d+xml x3d x3dz; model/x3d-vrml x3dv x3dvz
        multipart/vnd.bint.med-plus bmed; multipart/voice-message vpm; text/cache-manifest appcache manifest
        text/calendar ics ifb; text/cql cql; text/css css; text/csv csv; text/csv-schema csvs; text/dns soa zone
        text/gff3 gff3; text/html htm html shtml; text/javascript cjs es js jsx mjs; text/jcr-cnd cnd
        text/markdown markdown md; text/mizar miz; text/n3 n3
        text/plain adoc bash bat brf c cc cfg conf cpp diff env ftl go gradle h hh hpp ini java kt kts less license
        text/plain lock log m mm patch pot properties proto ps1 py rb readme rs rst sass scss sh sql srt strings
        text/plain styl svelte swift tex text tsx txt vue zsh; text/provenance-notation provn
        text/prs.lines.tag dsc tag; text/sgml sgm sgml; text/shaclc shaclc shc; text/shex shex; text/spdx spdx
        text/tab-separated-values tsv; text/texmacs tm; text/troff roff t tr; text/turtle ttl; text/uri-list uri uris
        text/vcard vcard vcf; text/vnd.abc abc; text/vnd.ascii-art ascii; text/vnd.curl curl
        text/vnd.debian.copyright copyright; text/vnd.dmclientscript dms; text/vnd.esmertec.theme-descriptor jtd
        text/vnd.exchangeable vfk; text/vnd.familysearch.gedcom ged; text/vnd.ficlab.flt flt; text/vnd.fly fly
        text/vnd.fmi.flexstor flx; text/vnd.graphviz dot gv; text/vnd.hans hans; text/vnd.hgl hgl
        text/vnd.in3d.3dml 3dm 3dml; text/vnd.in3d.spot spo spot; text/vnd.ms-mediapackage mpf
        text/vnd.net2phone.commcenter.command ccc; text/vnd.senx.warpscript mc2; text/vnd.sosi sos
        text/vnd.sun.j2me.app-descriptor jad; text/vnd.wap.si si; text/vnd.wap.sl sl; text/vnd.wap.wml wml
        text/vnd.wap.wmlscript wmls; text/vtt vtt; text/wgsl wgsl; text/x-bibtex bib; text/x-boo boo
        text/x-c++hdr h++ hxx; text/x-c++src c++ cxx; text/x-component htc; text/x-dsrc d; text/x-haskell hs
        text/x-lilypond ly; text/x-literate-haskell lhs; text/x-moc moc; text/x-pascal p pas; text/x-pcs-gcd gcd
        text/x-perl pl pm; text/x-scala scala; text/x-setext etx; text/x-sfv sfv; text/x-tcl tk
        text/x-tex cls ltx sty; text/x-vcalendar vcs; video/3gpp 3gp 3gpp; video/annodex axv; video/dv dif dv
        video/fli fli; video/gl gl; video/iso.segment m4s; video/matroska mkv; video/mj2 mj2 mjp2
        video/mp2t m2ts mts ts; video/mp4 m4v mp4 mp4v mpg4; video/mpeg m1v m2v mpe mpeg mpg; video/ogg ogv
        video/quicktime mov qt; video/vnd.dece.hd uvh uvvh; video/vnd.dece.mobile uvm uvvm
        video/vnd.dece.mp4 uvu uvvu; video/vnd.dece.pd uvp uvvp; video/vnd.dece.sd uvs uvvs
        video/vnd.dece.video uvv uvvv; video/vnd.dvb.file dvb; video/vnd.fvt fvt; video/vnd.mpegurl m4u mxu
        video/vnd.ms-playready.media.pyv pyv; video/vnd.nokia.interleaved-multimedia nim
        video/vnd.radgamettools.bink bik bk2; video/vnd.radgamettools.smacker smk; video/vnd.sealed.mpeg1 s11 smpg
        video/vnd.sealed.mpeg4 s14; video/vnd.sealed.swf ssw sswf; video/vnd.sealedmedia.softseal.mov s1q smo smov
        video/vnd.vivo viv; video/vnd.youtube.yt yt; video/webm webm; video/x-flv flv; video/x-la-asf lsf lsx
        video/x-matroska mpv; video/x-mng mng; video/x-ms-asf asx; video/x-ms-wm wm; video/x-ms-wmv wmv
        video/x-ms-wmx wmx; video/x-ms-wvx wvx; video/x-msvideo avi; video/x-sgi-movie movie
        """
}
