#!/bin/sh
# Makes static/hills.webm: one loop of 60 s of sky, sun, three ranges of hills at
# their own speed, and a clock.
ffmpeg -hide_banner -loglevel error -y -filter_complex "
color=s=640x360:r=24,format=gbrp,geq=r='30+215*pow(Y/H\,1.5)':g='34+130*pow(Y/H\,1.7)':b='92+38*Y/H',trim=end_frame=1,loop=-1:1,setpts=N/24/TB,hue=h='28*sin(2*PI*t/60)'[sky];
color=s=240x240:r=24,format=gbrap,geq=r=255:g=226:b=170:a='max(255*clip(35-hypot(X-120\,Y-120)\,0\,1)\,150*max(0\,exp(-max(0\,hypot(X-120\,Y-120)-34)/26)-0.037))',trim=end_frame=1,loop=-1:1,setpts=N/24/TB[sun];
color=s=640x360:r=24,format=gbrap,geq=r=112:g=74:b=118:a='255*clip(Y-226-26*sin(2*PI*X/320)-14*sin(2*PI*X/128+1)\,0\,1)',trim=end_frame=1,loop=-1:1,setpts=N/24/TB,scroll=h=1/1440[far];
color=s=1280x360:r=24,format=gbrap,geq=r=66:g=48:b=94:a='255*clip(Y-270-24*sin(2*PI*X/640+2)-13*sin(2*PI*X/256)\,0\,1)',trim=end_frame=1,loop=-1:1,setpts=N/24/TB,scroll=h=1/1440[mid];
color=s=2560x360:r=24,format=gbrap,geq=r=27:g=24:b=52:a='255*clip(Y-314-20*sin(2*PI*X/1280+4)-9*sin(2*PI*X/365.7)\,0\,1)',trim=end_frame=1,loop=-1:1,setpts=N/24/TB,scroll=h=1/1440[near];
[sky][sun]overlay=x='-240+880*t/60':y='150-230*sin(PI*t/60)+40'[a];[a][far]overlay[b];[b][mid]overlay[c];[c][near]overlay,
drawtext=text='%{pts\:gmtime\:0\:%M\\\\\:%S}':fontcolor=white@0.55:fontsize=30:x=24:y=h-48,format=yuv420p" \
-t 60 -r 24 -c:v libvpx-vp9 -b:v 54k -g 120 -row-mt 1 -deadline good -cpu-used 2 -an static/hills.webm
